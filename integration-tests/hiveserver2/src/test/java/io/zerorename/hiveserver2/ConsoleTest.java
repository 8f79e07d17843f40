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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a user of beeline and the administrator are told. */
class ConsoleTest {
  private final HiveServer2OnS3 s3 = HiveServer2OnS3.shared();
  private Session session;

  @BeforeEach
  void open() throws SQLException {
    session = s3.process().open();
  }

  @AfterEach
  void close() throws IOException {
    s3.process().gateway().faults(FaultRule.NONE);
    session.close();
  }

  @Test
  void operationLogHasTheProgressOfALongCommit() throws Exception {
    Tables.create(session, "long_commit");
    session.execute("set " + CoreKeys.PROGRESS_INTERVAL.name() + "=1");
    session.execute("set " + CoreKeys.INLINE_MAX_BYTES.name() + "=0");
    String progress = "zero-rename: INSERT INTO default.long_commit: 1 of 2 files are visible";
    HeldRequests last =
        new HeldRequests(
            1, FaultRule.typeUnder(RequestType.COMPLETE_MULTIPART_UPLOAD, "long_commit/p=2/"));
    s3.process().gateway().faults(last);
    List<String> log = new ArrayList<>();
    try (HiveStatement insert = session.statement()) {
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

    List<String> told = Session.ours(log);
    assertThat(told).anyMatch(line -> line.contains(progress));
    assertThat(told).last().asString().contains("zero-rename: committed INSERT INTO");
  }
}
