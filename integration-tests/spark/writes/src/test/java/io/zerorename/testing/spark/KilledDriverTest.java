package io.zerorename.testing.spark;

import static io.zerorename.testing.process.Kill.Side.BEFORE;
import static io.zerorename.testing.s3server.RequestType.COMPLETE_MULTIPART_UPLOAD;
import static io.zerorename.testing.s3server.RequestType.PUT_OBJECT;
import static io.zerorename.testing.spark.Numbers.join;
import static io.zerorename.testing.spark.Numbers.range;
import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.testing.process.ChildJvm;
import io.zerorename.testing.process.Kill;
import io.zerorename.testing.s3server.FaultRule;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.SaveMode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Drivers that are killed at a request of an overwrite. RepeatedSubmitTest kills appends. */
final class KilledDriverTest {
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  @RegisterExtension static final SparkOnS3 s3 = SparkOnS3.withCommitProtocol("local[2]", Map.of());

  @Test
  void beforeTheDecisionAllOldRowsStay() throws Exception {
    append(0, 30);
    List<String> old = s3.dataFiles("table/");

    overwriteInAnotherDriver(new Kill(BEFORE, PUT_OBJECT, "/log/", 1));

    assertThat(s3.dataFiles("table/")).isEqualTo(old);
    append(100, 130);
    assertThat(read()).isEqualTo(join(range(0, 30), range(100, 130)));
  }

  @Test
  void afterTheDecisionTheNextWriteReplacesThem() throws Exception {
    append(0, 30);

    overwriteInAnotherDriver(new Kill(BEFORE, COMPLETE_MULTIPART_UPLOAD, 2));
    append(100, 130);

    assertThat(read()).isEqualTo(join(range(100, 130), range(1_000, 1_100)));
    assertThat(s3.bucket().pendingUploads("")).isEmpty();
  }

  private static void append(long from, long to) {
    s3.numbers().rows(from, to).write().mode(SaveMode.Append).csv(s3.s3a("table"));
  }

  private static List<Long> read() {
    return s3.numbers().read("csv", s3.s3a("table"));
  }

  private static void overwriteInAnotherDriver(Kill kill) throws Exception {
    ChildJvm.Command command =
        ChildJvm.Command.of(MeasuredStatements.class)
            .withModulesOpen()
            .withArguments(s3.settings());
    try (ChildJvm driver =
        ChildJvm.start(command, s3.directory().resolve("driver-" + System.nanoTime() + ".log"))) {
      driver.await(0, LineServer.READY::equals, PATIENCE);
      s3.gateway().faults(kill.of(driver));
      driver.send(
          "INSERT OVERWRITE DIRECTORY '"
              + s3.s3a("table")
              + "' USING csv SELECT id, 'p' FROM range(1000, 1100, 1, 3)");
      driver.awaitEnd(PATIENCE);
      assertThat(driver.wasKilled()).as("killed %s; %s", kill, driver.lastOutput()).isTrue();
    } finally {
      s3.gateway().faults(FaultRule.NONE);
    }
  }
}
