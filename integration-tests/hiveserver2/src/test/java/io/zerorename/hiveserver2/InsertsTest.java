package io.zerorename.hiveserver2;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.core.config.CoreKeys;
import io.zerorename.testing.process.Await;
import io.zerorename.testing.s3server.FaultRule;
import io.zerorename.testing.s3server.HeldRequests;
import io.zerorename.testing.s3server.RequestType;
import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hive.jdbc.HiveStatement;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** INSERTs of each kind in one HiveServer2, which everything that they leave behind stays in. */
class InsertsTest {
  private static final HiveServer2OnS3 S3 = HiveServer2OnS3.shared();

  private static Twins twins;

  @BeforeAll
  static void open() throws SQLException {
    twins = Twins.open(S3.process(), S3.bucket());
  }

  @AfterAll
  static void close() throws IOException {
    twins.close();
  }

  @Test
  void overwriteEndsAsOnHivesOwnPath() throws Exception {
    twins.run("overwrite-dynamic orc");
  }

  /** Each kind of target, of source and of format, of those that Hive 4.1 shows in all pairs. */
  @ParameterizedTest
  @Tag("thorough")
  @ValueSource(
      strings = {
        "ctas-partitioned parquet",
        "into text",
        "overwrite-static orc",
        "into-dynamic parquet",
        "nothing-static orc",
        "bucketed-sorted orc",
        "union orc",
        "union-dynamic parquet"
      })
  void othersEndAsOnHivesOwnPath(String cell) throws Exception {
    twins.run(cell);
  }

  @Test
  void operationLogHasTheProgressOfALongCommit() throws Exception {
    String progress = "zero-rename: INSERT INTO default.long_commit: 1 of 2 files are visible";
    HeldRequests last =
        new HeldRequests(
            1, FaultRule.typeUnder(RequestType.COMPLETE_MULTIPART_UPLOAD, "long_commit/p=2/"));
    S3.process().gateway().faults(last);
    List<String> log = new ArrayList<>();
    try (Session session = S3.process().open();
        HiveStatement insert = session.statement()) {
      Tables.create(session, "long_commit");
      session.execute("set " + CoreKeys.PROGRESS_INTERVAL.name() + "=1");
      session.execute("set " + CoreKeys.INLINE_MAX_BYTES.name() + "=0");
      // Not execute(): it asks for the state without a pause, and on a busy machine no other thread
      // gets hold of the connection meanwhile.
      insert.executeAsync("insert into long_commit partition (p) values (1, 1), (2, 2)");
      Await.until(
          progress,
          () -> {
            log.addAll(Session.log(insert));
            return log.stream().anyMatch(line -> line.contains(progress));
          });
      last.pass();
      // Returns at the statement's end.
      insert.getUpdateCount();
      log.addAll(Session.log(insert));
    }
    assertThat(Session.ours(log)).last().asString().contains("zero-rename: committed INSERT INTO");
  }

  @Tag("thorough")
  @Test
  void cachedResultsAreNotThoseOfBefore() throws Exception {
    try (Session session = S3.process().open()) {
      Tables.createFilled(session, "cached");
      session.execute("set hive.query.results.cache.enabled=true");
      session.execute("set hive.query.results.cache.nontransactional.tables.enabled=true");
      session.execute("set hive.compute.query.using.stats=false");
      String query = "select sum(a) from cached";
      for (int i = 0; i < 2; i++) {
        assertThat(session.rows(query)).containsExactly("300");
      }
      session.execute("insert into cached partition (p) values (7, 3)");
      assertThat(session.rows(query)).containsExactly("307");
    }
  }
}
