package io.zerorename.testing.spark;

import static io.zerorename.testing.process.Kill.Side.AFTER;
import static io.zerorename.testing.process.Kill.Side.BEFORE;
import static io.zerorename.testing.s3server.RequestType.COMPLETE_MULTIPART_UPLOAD;
import static io.zerorename.testing.s3server.RequestType.PUT_OBJECT;
import static io.zerorename.testing.spark.Numbers.join;
import static io.zerorename.testing.spark.Numbers.range;
import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.testing.process.Kill;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Drivers that are killed at a request of a write. Another one then appends, or repeats the run.
 */
final class KilledDriverTest {
  private static final String RUN = "zerorename.run.id";

  /** Before and after each of the first requests of a query to its table, which has some 40. */
  private static final int KILLS = 50;

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
    append(s3.spark(), from, to);
  }

  private static void append(SparkSession session, long from, long to) {
    new Numbers(session)
        .rows(from, to)
        .write()
        .format("csv")
        .partitionBy("p")
        .mode(SaveMode.Append)
        .save(s3.s3a("table"));
  }

  private static List<Long> read() {
    return s3.numbers().read("csv", s3.s3a("table"));
  }

  private static void overwriteInAnotherDriver(Kill kill) throws Exception {
    DriverProcess.killDuring(s3, s3.settings(), "overwrite", s3.s3a("table"), kill);
  }

  /** A setting for Hadoop of the application is the same as one of the session. */
  @Tag("thorough")
  @Test
  void whatAKilledDriverHasDecidedItsRepetitionCompletes() throws Exception {
    append(0, 30);
    List<String> settings = new ArrayList<>(s3.settings());
    settings.add("spark.hadoop." + RUN + "=tonight");
    DriverProcess.killDuring(
        s3, settings, "append", s3.s3a("table"), new Kill(BEFORE, COMPLETE_MULTIPART_UPLOAD, 2));

    append(LineServer.session(s3.spark(), List.of(RUN + "=tonight")), 1_000, 1_100);

    assertThat(read()).isEqualTo(join(range(0, 30), range(1_000, 1_100)));
    assertThat(s3.success("table"))
        .contains("\"run\" : \"tonight\"", "completed by another process");
    assertThat(s3.bucket().pendingUploads("")).isEmpty();
  }

  @Tag("thorough")
  @Test
  void aBatchThatIsRunAgainIsWrittenOnce() throws Exception {
    assertOnceWhenKilled(
        "stream", new Kill(AFTER, Optional.of(COMPLETE_MULTIPART_UPLOAD), "/out", 2));
  }

  @Tag("thorough")
  @Tag(SparkOnS3.ONE_VERSION)
  @Test
  void eachBatchIsWrittenOnceWhereverTheDriverIsKilled() throws Exception {
    for (int kill = 0; kill < KILLS; kill++) {
      assertOnceWhenKilled(
          "stream" + kill,
          new Kill(kill % 2 == 0 ? BEFORE : AFTER, Optional.empty(), "/out", 1 + kill / 2));
    }
  }

  private static void assertOnceWhenKilled(String name, Kill kill) throws Exception {
    String input =
        Sink.writeInput(Files.createDirectory(s3.directory().resolve(name))).toUri().toString();
    DriverProcess.killDuringBatches(s3, input, s3.s3a(name + "/"), kill);

    Sink.RUNS.run(s3.spark(), input, s3.s3a(name + "/"));

    assertThat(Sink.RUNS.rows(s3.spark(), s3.s3a(name + "/")))
        .as("killed %s", kill)
        .isEqualTo(Sink.RUNS.expected());
  }
}
