package io.zerorename.hive;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.testing.s3server.FaultRule;
import io.zerorename.testing.s3server.HeldRequests;
import io.zerorename.testing.s3server.RequestRecording;
import io.zerorename.testing.s3server.RequestType;
import io.zerorename.testing.s3server.S3Request;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is done once a day about a commit directory, and that no statement waits for it. */
class DailyCareTest {
  private static final String COMMIT_DIRECTORY = "daily/_zerorename/";
  private static final String OLD = COMMIT_DIRECTORY + "checks/_2020-02-02";

  private final HiveOnS3 s3 = HiveOnS3.shared();

  @BeforeEach
  void reset() {
    s3.reset();
    s3.withCommitter();
  }

  @Test
  @Timeout(value = 3, unit = TimeUnit.MINUTES)
  void theFirstInsertOfADayEndsWhileTheCareIsHeldUp() throws Exception {
    s3.hive()
        .execute(
            "create external table daily (a int) stored as orc location"
                + " 's3a://warehouse/daily/daily'");
    s3.bucket().write(OLD, new byte[0]);
    HeldRequests held = new HeldRequests(1, DailyCareTest::looksAfterTheDirectory);
    s3.server().gateway().faults(held);
    try (RequestRecording recording = s3.record()) {
      s3.hive().execute("insert into daily values (1), (2)");

      assertThat(s3.hive().console()).contains("zero-rename: committed INSERT INTO default.daily");
      assertThat(s3.hive().execute("select count(*) from daily")).containsExactly("2");
      held.awaitFirst();
      assertThat(s3.bucket().files(COMMIT_DIRECTORY)).contains(OLD);

      s3.hive().execute("insert overwrite table daily values (3)");
      assertThat(s3.hive().execute("select a from daily")).containsExactly("3");

      held.pass();
      s3.awaitBackgroundWork();
      assertThat(s3.bucket().files(COMMIT_DIRECTORY)).doesNotContain(OLD);
      assertThat(recording.requests().stream().filter(DailyCareTest::looksAfterTheDirectory))
          .as("once: the checks, and the whole")
          .extracting(request -> request.prefix().orElseThrow())
          .containsExactly(COMMIT_DIRECTORY + "checks/", COMMIT_DIRECTORY);
    } finally {
      held.pass();
      s3.server().gateway().faults(FaultRule.NONE);
    }
  }

  /** Commits list the log of their table, which lies below. */
  private static boolean looksAfterTheDirectory(S3Request request) {
    return request.type() == RequestType.LIST_OBJECTS_V2
        && Set.of(COMMIT_DIRECTORY, COMMIT_DIRECTORY + "checks/")
            .contains(request.prefix().orElse(""));
  }
}
