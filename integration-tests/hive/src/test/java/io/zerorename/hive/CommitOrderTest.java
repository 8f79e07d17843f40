package io.zerorename.hive;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/**
 * A commit that was interrupted, and what others have made of its table before it is resumed: its
 * rows never stand beside rows that have come after them in its place.
 */
class CommitOrderTest {
  /** Times of objects are told to the second. */
  private static final Duration TICK = Duration.ofMillis(1_100);

  private final HiveOnS3 s3 = HiveOnS3.shared().withCommitter();
  private final InterruptedInserts interrupted = new InterruptedInserts(s3);

  @Test
  void rowsOfAnInterruptedCommitDoNotStandBesideThoseOfHivesOwnOverwrite() throws Exception {
    String table = "order_own_path";
    interrupted.create(table);
    s3.hive().execute("insert into " + table + " values (1)");
    interrupted.run("insert into " + table + " values (2)", table);
    Thread.sleep(TICK.toMillis());
    s3.withoutCommitter();
    s3.hive().execute("insert overwrite table " + table + " values (10)");
    s3.withCommitter();

    s3.hive().execute("insert into " + table + " values (11)");
    s3.awaitBackgroundWork();

    assertThat(s3.hive().console())
        .contains("It is not completed automatically")
        .contains("zerorename recover s3a://warehouse/" + table);
    interrupted.assertRows(table, "10", "11");
    // What an operator would give up.
    s3.bucket().clear(table + "/");
  }
}
