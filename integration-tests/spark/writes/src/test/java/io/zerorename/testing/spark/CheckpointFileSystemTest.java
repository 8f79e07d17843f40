package io.zerorename.testing.spark;

import static io.zerorename.testing.s3server.FaultRule.type;
import static io.zerorename.testing.s3server.RequestType.COMPLETE_MULTIPART_UPLOAD;
import static io.zerorename.testing.s3server.RequestType.HEAD_OBJECT;
import static io.zerorename.testing.s3server.RequestType.LIST_OBJECTS_V2;
import static io.zerorename.testing.s3server.RequestType.PUT_OBJECT;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.testing.process.Await;
import io.zerorename.testing.s3server.FaultRule;
import io.zerorename.testing.s3server.HeldRequests;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.s3a.impl.AWSClientConfig;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.Optional;
import org.apache.spark.streaming.Durations;
import org.apache.spark.streaming.api.java.JavaStreamingContext;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import scala.Tuple2;

/** Checkpoints of RDDs and of DStreams. */
// DStreams are deprecated, and still in use.
@SuppressWarnings("deprecation")
@Timeout(120)
final class CheckpointFileSystemTest {
  private static final int ROWS = 1_000;
  private static final int PARTITIONS = 4;
  private static final String DIRECTORY = "s3a-checkpoint://data/checkpoints";

  @RegisterExtension
  static final SparkOnS3 s3 =
      SparkOnS3.withCommitProtocol(
          SparkOnS3.LOCAL, Map.of("spark.hadoop.fs.s3a.multipart.size", "5M"));

  @BeforeAll
  static void prepare() throws IOException {
    // The first check of the bucket.
    s3.context().setCheckpointDir(DIRECTORY);
    numbers().filter(it -> it < 0).checkpoint();
  }

  private static JavaRDD<Integer> numbers() {
    return s3.context().parallelize(IntStream.range(0, ROWS).boxed().toList(), PARTITIONS);
  }

  private static FileSystem fileSystem() throws IOException {
    return new Path(DIRECTORY).getFileSystem(s3.context().hadoopConfiguration());
  }

  /** One for each partition, one list of them, and a look for a partitioner. */
  @Test
  void aCheckpointOfAnRddIsOneRequestForEachPartition() {
    checkpoint();
    s3.reset();

    s3.context().setCheckpointDir(DIRECTORY);
    JavaRDD<Integer> doubled = checkpoint();

    assertThat(s3.requests().byType())
        .isEqualTo(Map.of(PUT_OBJECT, (long) PARTITIONS, LIST_OBJECTS_V2, 1L, HEAD_OBJECT, 1L));
    assertThat(doubled.reduce(Integer::sum)).isEqualTo(ROWS * (ROWS - 1));
    assertThat(s3.requests().total()).isLessThanOrEqualTo(18);
    s3.assertNoneCopiedNonePending();
  }

  private static JavaRDD<Integer> checkpoint() {
    JavaRDD<Integer> doubled = numbers().map(it -> 2 * it);
    doubled.cache();
    doubled.checkpoint();
    assertThat(doubled.count()).isEqualTo(ROWS);
    assertThat(doubled.isCheckpointed()).isTrue();
    return doubled;
  }

  @Test
  void ofTwoAttemptsOfOnePartitionOneIsKeptAndOfOneThatFailsNothing() throws IOException {
    FileSystem checkpoints = fileSystem();
    Path part = new Path(DIRECTORY, "rdd-1/part-00000");
    for (String attempt : List.of("7", "8")) {
      Path temporary = new Path(DIRECTORY, "rdd-1/.part-00000-attempt-" + attempt);
      try (FSDataOutputStream out = checkpoints.create(temporary, false)) {
        out.write(attempt.getBytes(UTF_8));
      }
      assertThat(s3.bucket().files("checkpoints/")).hasSize(attempt.equals("7") ? 0 : 1);
      assertThat(checkpoints.rename(temporary, part)).isEqualTo(attempt.equals("7"));
      assertThat(checkpoints.exists(part)).isTrue();
      assertThat(checkpoints.delete(temporary, false)).isTrue();
    }
    assertThat(new String(s3.bucket().read("checkpoints/rdd-1/part-00000"), UTF_8)).isEqualTo("7");

    Path failed = new Path(DIRECTORY, "rdd-1/.part-00001-attempt-9");
    try (FSDataOutputStream out = checkpoints.create(failed, false)) {
      out.write(new byte[6 << 20]);
      // As Spark does where a task fails, and closes it then.
      checkpoints.delete(failed, false);
    }
    assertThat(s3.bucket().files("checkpoints/")).containsExactly("checkpoints/rdd-1/part-00000");
    s3.assertNoneCopiedNonePending();
  }

  /**
   * Spark writes a checkpoint when a batch begins, and replaces it when batches are over. A request
   * that makes one of its states visible is late: the client has sent it again since.
   */
  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void aRequestThatArrivesLateReplacesNoNewerStateOfADStream(int late) throws Exception {
    // S3A waits for 15 seconds at least.
    AWSClientConfig.setMinimumOperationDuration(Duration.ZERO);
    Configuration impatient = new Configuration(s3.context().hadoopConfiguration());
    impatient.set("fs.s3a.connection.timeout", "1s");
    impatient.setBoolean("fs.s3a.impl.disable.cache", true);
    Path checkpoint = new Path(DIRECTORY, "late/checkpoint-1700000000000");
    String key = "checkpoints/late/" + checkpoint.getName();
    List<String> states = List.of("begun", "over", "another is over");
    HeldRequests held =
        HeldRequests.onlyNth(
            1,
            type(PUT_OBJECT)
                .or(type(COMPLETE_MULTIPART_UPLOAD))
                .and(request -> request.key().equals(key)));
    try (FileSystem checkpoints = FileSystem.newInstance(checkpoint.toUri(), impatient)) {
      for (String state : states) {
        s3.gateway().faults(state.equals(states.get(late)) ? held : FaultRule.NONE);
        write(checkpoints, checkpoint, state);
        assertThat(checkpoints.exists(checkpoint)).isTrue();
        assertThat(new String(s3.bucket().read(key), UTF_8)).isEqualTo(state);
      }
    } finally {
      AWSClientConfig.resetMinimumOperationDuration();
    }
    held.awaitFirst();
    held.pass();
    Await.until("the late request has had its effect", s3.gateway()::isQuiet);

    assertThat(new String(s3.bucket().read(key), UTF_8)).isEqualTo(states.get(2));
    assertThat(s3.bucket().files("checkpoints/late/")).containsExactly(key);
    s3.assertNoneCopiedNonePending();
  }

  /** As CheckpointWriter does in Spark 3.5.7 to 4.2.0. */
  private static void write(FileSystem checkpoints, Path checkpoint, String state)
      throws IOException {
    Path temporary = new Path(checkpoint.getParent(), "temp");
    checkpoints.delete(temporary, true);
    try (FSDataOutputStream out = checkpoints.create(temporary)) {
      out.write(state.getBytes(UTF_8));
    }
    assertThat(checkpoints.exists(checkpoint)).as("Spark would move it away").isFalse();
    assertThat(checkpoints.rename(temporary, checkpoint)).isTrue();
  }

  @Test
  void aStateOfADStreamThatAnotherDriverHasLeftIsReplaced() throws IOException {
    Path checkpoint = new Path(DIRECTORY, "left/checkpoint-1700000000000");
    s3.bucket().write("checkpoints/left/checkpoint-1700000000000", "left".getBytes(UTF_8));
    write(fileSystem(), checkpoint, "over");
    assertThat(new String(s3.bucket().read("checkpoints/left/" + checkpoint.getName()), UTF_8))
        .isEqualTo("over");
  }

  /** Spark only logs that a checkpoint of a DStream was not written. */
  @Test
  void aStoreThatOverwritesInSpiteOfTheConditionIsRefusedAtTheBeginning() throws IOException {
    Configuration another = new Configuration(s3.context().hadoopConfiguration());
    String endpoint = another.get("fs.s3a.endpoint");
    // By another name, because the check is made once for a bucket at an endpoint.
    another.set("fs.s3a.endpoint", endpoint.replace("127.0.0.1", "localhost"));
    assertThat(another.get("fs.s3a.endpoint")).isNotEqualTo(endpoint);
    another.setBoolean("fs.s3a.impl.disable.cache", true);
    s3.gateway()
        .faults(
            request -> {
              if (request.type() == PUT_OBJECT) {
                // So that each PUT finds nothing, and succeeds.
                s3.bucket().clear("checkpoints/refused/");
              }
              return java.util.Optional.empty();
            });
    Path directory = new Path(DIRECTORY, "refused");
    try (FileSystem checkpoints = FileSystem.newInstance(directory.toUri(), another)) {
      assertThatThrownBy(() -> checkpoints.mkdirs(directory)).hasMessageStartingWith("ZR-7117: ");
    }
    assertThat(s3.bucket().objects("checkpoints/refused/")).isEmpty();
  }

  @Test
  void otherRenamesAreRefused() throws IOException {
    FileSystem checkpoints = fileSystem();
    Path file = new Path(DIRECTORY, "files/file");
    checkpoints.create(file).close();
    assertThatThrownBy(() -> checkpoints.rename(file, new Path(DIRECTORY, "files/other")))
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessageStartingWith("ZR-7120: ");
    assertThatThrownBy(() -> checkpoints.append(file)).hasMessageStartingWith("ZR-7121: ");
  }

  /** A driver is started anew from what the other one has left. */
  @Tag("thorough")
  @Test
  void aDStreamGoesOnFromItsCheckpoint() throws Exception {
    java.nio.file.Path input = Files.createDirectory(s3.directory().resolve("words"));
    for (int run = 1; run <= 2; run++) {
      JavaStreamingContext streaming =
          JavaStreamingContext.getOrCreate(
              DIRECTORY + "/words",
              () -> words(input.toUri().toString()),
              s3.context().hadoopConfiguration());
      streaming.start();
      try {
        int before = Counted.BATCHES.get();
        Await.until("two batches", () -> Counted.BATCHES.get() >= before + 2);
        java.nio.file.Path file = s3.directory().resolve("words-" + run);
        Files.write(file, List.of("a", "b", "a"));
        Files.move(file, input.resolve("words-" + run));
        Map<String, Integer> expected = Map.of("a", 2 * run, "b", run);
        Await.until("the words", () -> Counted.WORDS.equals(expected));
      } finally {
        streaming.stop(false, true);
      }
    }
    assertThat(s3.requests().copies()).isZero();
  }

  private static JavaStreamingContext words(String input) {
    JavaStreamingContext streaming =
        new JavaStreamingContext(s3.context(), Durations.milliseconds(500));
    streaming.checkpoint(DIRECTORY + "/words");
    streaming
        .textFileStream(input)
        .mapToPair(word -> new Tuple2<>(word, 1))
        .updateStateByKey(Counted::add)
        .foreachRDD(rdd -> Counted.see(rdd.collectAsMap()));
    return streaming;
  }

  /** What the output of a DStream has seen, in this JVM. */
  private static final class Counted {
    private static final Map<String, Integer> WORDS = new ConcurrentHashMap<>();
    private static final AtomicInteger BATCHES = new AtomicInteger();

    private Counted() {}

    static Optional<Integer> add(List<Integer> more, Optional<Integer> before) {
      return Optional.of(before.or(0) + more.stream().mapToInt(Integer::intValue).sum());
    }

    static void see(Map<String, Integer> words) {
      WORDS.putAll(words);
      BATCHES.incrementAndGet();
    }
  }
}
