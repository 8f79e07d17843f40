package io.zerorename.hiveserver2;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.core.config.CoreKeys;
import io.zerorename.testing.s3server.Fault;
import io.zerorename.testing.s3server.FaultRule;
import io.zerorename.testing.s3server.RequestType;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
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
  void operationLogHasTheLineOfTheCommit() throws Exception {
    Tables.create(session, "told");
    assertThat(session.linesOfOurs("insert into told partition (p) values (1, 1), (2, 2)"))
        .singleElement()
        .asString()
        .contains("zero-rename: committed INSERT INTO default.told: 2 files,", " S3 requests (");
  }

  @Test
  void operationLogHasTheProgressOfALongCommit() throws Exception {
    Tables.create(session, "long_commit");
    // Of several lines in five seconds one comes after the other file, on a slow machine too.
    session.execute("set " + CoreKeys.PROGRESS_INTERVAL.name() + "=1");
    session.execute("set " + CoreKeys.INLINE_MAX_BYTES.name() + "=0");
    s3.process()
        .gateway()
        .faults(
            FaultRule.always(
                FaultRule.typeUnder(RequestType.COMPLETE_MULTIPART_UPLOAD, "long_commit/p=2/"),
                Fault.delay(Duration.ofSeconds(5))));

    List<String> told =
        session.linesOfOurs("insert into long_commit partition (p) values (1, 1), (2, 2)");

    assertThat(told)
        .anyMatch(
            line ->
                line.contains(
                    "zero-rename: INSERT INTO default.long_commit: 1 of 2 files are visible"));
    assertThat(told).last().asString().contains("zero-rename: committed INSERT INTO");
  }

  @Test
  void operationLogHasTheReasonOfAFallback() throws Exception {
    session.execute(
        "create external table off (a int) stored as orc location 's3a://"
            + HiveServer2OnS3.BUCKET
            + "/off' tblproperties ('zerorename.enabled'='false')");
    assertThat(session.linesOfOurs("insert into off values (1)"))
        .singleElement()
        .asString()
        .contains("default.off", "Hive's own rename path: DISABLED");
  }

  @Test
  void explainShowsTheCommitAndWritesNothing() throws Exception {
    Tables.create(session, "explained");
    List<String> plan = session.rows("explain insert into explained partition (p) values (1, 1)");
    assertThat(String.join("\n", plan))
        .containsPattern("Zero-Rename Commit\\{.*\"table:\":\"default.explained\"");
    assertThat(s3.bucket().files("explained/")).isEmpty();
    assertThat(s3.bucket().pendingUploads("explained/")).isEmpty();
  }

  @Test
  void logNamesTheVersion() throws Exception {
    Tables.create(session, "versioned");
    session.execute("insert into versioned partition (p) values (1, 1)");
    assertThat(s3.process().log()).anyMatch(line -> line.contains("zero-rename committer 0."));
  }
}
