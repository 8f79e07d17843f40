package io.zerorename.testing.spark;

import static io.zerorename.testing.s3server.RequestType.DELETE_OBJECTS;
import static io.zerorename.testing.s3server.RequestType.HEAD_OBJECT;
import static io.zerorename.testing.s3server.RequestType.PUT_OBJECT;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.testing.s3server.Fault;
import io.zerorename.testing.s3server.FaultRule;
import io.zerorename.testing.s3server.RequestCounts;
import io.zerorename.testing.s3server.RequestRecording;
import io.zerorename.testing.s3server.S3Request;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.sql.streaming.StreamingQueryException;
import org.apache.spark.sql.streaming.Trigger;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Streaming queries whose checkpoints are on S3. Each file of the input is a batch. */
final class StreamingTest {
  /** Of a query: of its start, and six of each batch. */
  private static final int FEWEST_REQUESTS = 6 * Sink.BATCHES;

  @RegisterExtension
  static final SparkOnS3 s3 =
      SparkOnS3.withCommitProtocol(
          SparkOnS3.LOCAL, Map.of("spark.sql.streaming.minBatchesToRetain", "2"));

  private static Path input;

  @BeforeAll
  static void prepare() throws IOException {
    input = Sink.writeInput(s3.directory());
  }

  private static List<Long> rows(Sink sink) {
    return sink.rows(s3.spark(), s3.s3a(""));
  }

  private static void run(Sink sink) throws StreamingQueryException, TimeoutException {
    sink.run(s3.spark(), input.toUri().toString(), s3.s3a(""));
  }

  /** Start and end throw failures of several kinds. */
  private static boolean succeeds(Sink sink) {
    try {
      run(sink);
      return true;
    } catch (Exception e) {
      return false;
    }
  }

  @Test
  void whereverS3IsLostTheQueryEndsWithTheRowsOfAnUndisturbedOne() throws Exception {
    assertResumes(Sink.FILES, 13);
  }

  @Tag("thorough")
  @Tag(SparkOnS3.ONE_VERSION)
  @ParameterizedTest
  @EnumSource
  void atEverySecondRequestItDoes(Sink sink) throws Exception {
    assertResumes(sink, 2);
  }

  /**
   * At the first request of the checkpoint, and at each step-th one, the answer is lost, and from
   * there on S3, as for a driver that dies there.
   */
  private static void assertResumes(Sink sink, int step) throws Exception {
    Predicate<S3Request> ofCheckpoint =
        it -> it.key().contains("checkpoint/") || it.key().contains("_spark_metadata/");
    int broken = 1;
    for (boolean undisturbed = false; !undisturbed; broken += step) {
      s3.reset();
      s3.gateway()
          .faults(
              FaultRule.nth(broken, ofCheckpoint, Fault.loseAnswer())
                  .or(FaultRule.fromNth(broken + 1, ofCheckpoint, Fault.accessDenied())));
      undisturbed = succeeds(sink);
      s3.gateway().faults(FaultRule.NONE);
      if (!undisturbed) {
        run(sink);
      }
      assertThat(rows(sink))
          .as("%s, S3 is lost at request %s", sink, broken)
          .isEqualTo(sink.expected());
      assertThat(s3.bucket().files("checkpoint/")).noneMatch(key -> key.contains(".tmp"));
      s3.assertNoneCopiedNonePending();
    }
    assertThat(broken).as("requests").isGreaterThan(FEWEST_REQUESTS);
  }

  /**
   * Requests of a batch without state: two files, a look at each, and two old ones deleted. Beside
   * the batches, where Spark deletes by default, it lists them if it is four of them behind.
   */
  @Test
  void aBatchWithoutStateIsSixRequests() throws Exception {
    String deletesBeside = "spark.sql.streaming.asyncLogPurge.enabled";
    s3.spark().conf().set(deletesBeside, "false");
    List<RequestCounts> counts = Collections.synchronizedList(new ArrayList<>());
    int last = 30;
    StreamingQuery query =
        s3.spark()
            .readStream()
            .format("rate-micro-batch")
            .option("rowsPerBatch", 2)
            .load()
            .writeStream()
            .foreachBatch(Sink.each((rows, batch) -> counts.add(s3.gateway().counts())))
            .option("checkpointLocation", s3.s3a("checkpoint"))
            .start();
    try {
      while (counts.size() <= last && query.isActive()) {
        Thread.sleep(20);
      }
    } finally {
      query.stop();
      s3.spark().conf().unset(deletesBeside);
    }

    int first = 10;
    RequestCounts between = counts.get(last).minus(counts.get(first));
    long batches = (long) last - first;
    assertThat(between.byType())
        .isEqualTo(
            Map.of(PUT_OBJECT, 2 * batches, HEAD_OBJECT, 2 * batches, DELETE_OBJECTS, 2 * batches));
  }

  /** Of each partition of the state and batch one file, by one request. */
  @Test
  void aFileOfTheStateIsOneRequest() throws Exception {
    try (RequestRecording recording = s3.gateway().record()) {
      run(Sink.COUNTS);
      assertThat(recording.keys(PUT_OBJECT))
          .filteredOn(key -> key.endsWith(".delta"))
          .hasSize(2 * Sink.BATCHES);
      assertThat(recording.requests())
          .filteredOn(it -> it.key().startsWith("checkpoint/state/0/"))
          .filteredOn(it -> !it.key().contains("_metadata"))
          .allMatch(it -> it.type() == PUT_OBJECT && it.key().endsWith(".delta"));
    }
    assertThat(rows(Sink.COUNTS)).isEqualTo(Sink.COUNTS.expected());
    s3.assertNoneCopiedNonePending();
  }

  private static void runWith(Map<String, String> settings, Sink sink)
      throws StreamingQueryException, TimeoutException {
    settings.forEach(s3.spark().conf()::set);
    try {
      run(sink);
    } finally {
      settings.keySet().forEach(s3.spark().conf()::unset);
    }
  }

  /**
   * Files of RocksDB are uploaded by Spark itself, the rest is written by the manager, some with
   * checksums since Spark 4.1. S3 is lost at the third version of a partition.
   */
  @Tag("thorough")
  @ParameterizedTest
  @CsvSource({"true, .changelog", "false, .zip"})
  void theStateMayBeInRocksDb(boolean changelogs, String suffix) throws Exception {
    boolean checksums = changelogs && SparkOnS3.isMovedSpark();
    String store = "spark.sql.streaming.stateStore.";
    Map<String, String> settings =
        Map.of(
            store + "providerClass",
            "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider",
            store + "rocksdb.changelogCheckpointing.enabled",
            "" + changelogs,
            store + "checkpointFormatVersion",
            checksums ? "2" : "1");
    s3.gateway()
        .faults(
            FaultRule.fromNth(
                1,
                request ->
                    request.key().matches("checkpoint/state/0/1/3[._].*")
                        && request.type() == PUT_OBJECT,
                Fault.accessDenied()));
    assertThatThrownBy(() -> runWith(settings, Sink.COUNTS)).hasStackTraceContaining("403");
    s3.gateway().faults(FaultRule.NONE);

    runWith(settings, Sink.COUNTS);

    assertThat(rows(Sink.COUNTS)).isEqualTo(Sink.COUNTS.expected());
    assertThat(s3.bucket().files("checkpoint/state/0/1/"))
        .anyMatch(key -> key.matches("checkpoint/state/0/1/3(_[^/]*)?" + Pattern.quote(suffix)));
    assertThat(s3.bucket().files("checkpoint/state/").stream().anyMatch(it -> it.endsWith(".crc")))
        .isEqualTo(checksums);
    s3.assertNoneCopiedNonePending();
  }

  @Test
  void ofTwoDriversAtOneCheckpointTheSecondFailsWithAClearMessage() throws Exception {
    s3.gateway()
        .faults(
            request -> {
              if (request.type() == PUT_OBJECT && request.key().equals("checkpoint/offsets/2")) {
                s3.bucket().write(request.key(), "another driver's".getBytes(UTF_8));
              }
              return Optional.empty();
            });

    assertThatThrownBy(() -> run(Sink.RUNS))
        .hasStackTraceContaining("Multiple streaming queries are concurrently using")
        .hasStackTraceContaining("ZR-7119: s3a://data/checkpoint/offsets/2 is not written");

    assertThat(new String(s3.bucket().read("checkpoint/offsets/2"), UTF_8))
        .isEqualTo("another driver's");
  }

  /** Temporary checkpoints, and those of queries that stay on a cluster's file system. */
  @Test
  void aCheckpointOnAnotherFileSystemIsWrittenBySparksOwnManager() throws Exception {
    Path elsewhere = Files.createTempDirectory(s3.directory(), "checkpoint");
    Sink.numbers(s3.spark(), input.toUri().toString())
        .writeStream()
        .format("noop")
        .option("checkpointLocation", elsewhere.toUri().toString())
        .trigger(Trigger.AvailableNow())
        .start()
        .awaitTermination();
    assertThat(elsewhere.resolve("offsets").resolve("" + (Sink.BATCHES - 1))).exists();
    assertThat(s3.requests().total()).isZero();
  }

  /** Its tasks say how far the watermark is, and so they run again. */
  @Test
  void aBatchThatRepeatsItsRunMovesTheWatermark() throws Exception {
    Path times = Files.createDirectory(s3.directory().resolve("watermark"));
    Files.write(
        times.resolve("part-0"), Numbers.range(0, 10).stream().map(String::valueOf).toList());
    AtomicBoolean fails = new AtomicBoolean(true);

    assertThatThrownBy(() -> countWindows(times, fails)).hasStackTraceContaining("made to fail");
    countWindows(times, fails);

    assertThat(s3.spark().read().schema("id BIGINT").csv(s3.s3a("windows/out")).count())
        .isEqualTo(9);
  }

  /** Ten rows in windows of their own, of which the last stays open. */
  private static void countWindows(Path times, AtomicBoolean fails) throws Exception {
    Sink.run(
        s3.spark()
            .readStream()
            .schema("id BIGINT")
            .csv(times.toUri().toString())
            .selectExpr("timestamp_seconds(id * 100) AS ts")
            .withWatermark("ts", "0 seconds")
            .groupBy(functions.window(functions.col("ts"), "10 seconds"))
            .count()
            .selectExpr("count AS id")
            .writeStream()
            .foreachBatch(
                Sink.each(
                    (rows, batch) -> {
                      rows.sparkSession().conf().set("zerorename.run.id", "windows-" + batch);
                      rows.write().mode("append").csv(s3.s3a("windows/out"));
                      if (fails.getAndSet(false)) {
                        throw new IllegalStateException("made to fail");
                      }
                    })),
        s3.s3a("windows/"));
  }
}
