package io.zerorename.testing.spark;

import static io.zerorename.testing.s3server.FaultRule.type;
import static io.zerorename.testing.s3server.RequestType.ABORT_MULTIPART_UPLOAD;
import static io.zerorename.testing.s3server.RequestType.COMPLETE_MULTIPART_UPLOAD;
import static io.zerorename.testing.s3server.RequestType.CREATE_MULTIPART_UPLOAD;
import static io.zerorename.testing.s3server.RequestType.DELETE_OBJECTS;
import static io.zerorename.testing.s3server.RequestType.HEAD_OBJECT;
import static io.zerorename.testing.s3server.RequestType.LIST_OBJECTS_V2;
import static io.zerorename.testing.s3server.RequestType.PUT_OBJECT;
import static io.zerorename.testing.s3server.RequestType.UPLOAD_PART;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.spark.checkpoint.CheckpointFiles;
import io.zerorename.spark.checkpoint.CheckpointOutput;
import io.zerorename.testing.s3server.BucketContents;
import io.zerorename.testing.s3server.EmbeddedS3Server;
import io.zerorename.testing.s3server.Fault;
import io.zerorename.testing.s3server.FaultRule;
import io.zerorename.testing.s3server.RequestCounts;
import io.zerorename.testing.s3server.RequestType;
import java.io.IOException;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathFilter;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Each file of a checkpoint, and the requests that it costs. */
final class CheckpointFilesTest {
  private static final Path LOG = new Path("s3a://data/checkpoint/offsets");
  private static final PathFilter ALL = path -> true;
  private static final int PART = 5 << 20;

  private static EmbeddedS3Server s3;
  private static BucketContents bucket;
  private static Configuration conf;

  private CheckpointFiles files;

  @BeforeAll
  static void start() throws IOException {
    s3 = EmbeddedS3Server.start();
    bucket = s3.createBucket("data");
    conf = new Configuration();
    s3.hadoopSettings().forEach(conf::set);
    conf.setInt("fs.s3a.multipart.size", PART);
    conf.set("fs.s3a.retry.limit", "1");
    try (CheckpointFiles first = new CheckpointFiles(LOG, conf)) {
      assertThat(requests(first::createDirectory))
          .isEqualTo(Map.of(PUT_OBJECT, 2L, DELETE_OBJECTS, 1L));
      assertThat(requests(first::createDirectory)).as("once for a bucket").isEmpty();
      assertThat(bucket.objects("")).isEmpty();
      // So are Completes.
      try (CheckpointOutput out = first.create(file("9.compact"), false)) {
        out.write(large());
      }
    }
  }

  @AfterAll
  static void stop() throws IOException {
    FileSystem.closeAll();
    s3.close();
  }

  @BeforeEach
  void reset() throws IOException {
    s3.gateway().faults(FaultRule.NONE);
    bucket.clear("");
    files = new CheckpointFiles(LOG, conf);
  }

  private static Path file(String name) {
    return new Path(LOG, name);
  }

  private static String key(String name) {
    return "checkpoint/offsets/" + name;
  }

  private void write(String name, String text, boolean overwrite) throws IOException {
    try (CheckpointOutput out = files.create(file(name), overwrite)) {
      out.write(text.getBytes(UTF_8));
    }
  }

  private void writeLarge(String name, boolean overwrite) throws IOException {
    try (CheckpointOutput out = files.create(file(name), overwrite)) {
      out.write(large());
    }
  }

  private static byte[] large() {
    byte[] bytes = new byte[2 * PART + 7];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) (i >> 12);
    }
    return bytes;
  }

  private static String read(String name) {
    return new String(bucket.read(key(name)), UTF_8);
  }

  private interface Action {
    void run() throws IOException;
  }

  private static Map<RequestType, Long> requests(Action action) throws IOException {
    RequestCounts before = s3.gateway().counts();
    action.run();
    return new TreeMap<>(s3.gateway().counts().minus(before).byType());
  }

  private static void assertNothingPending() {
    assertThat(bucket.pendingUploads("")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aFileIsOneRequestAndAppearsWhenItIsClosed(boolean overwrite) throws IOException {
    CheckpointOutput out = files.create(file("0"), overwrite);
    out.write("batch".getBytes(UTF_8));
    assertThat(bucket.files("")).isEmpty();

    assertThat(requests(out::close)).isEqualTo(Map.of(PUT_OBJECT, 1L));

    assertThat(read("0")).isEqualTo("batch");
    assertThat(requests(out::close)).as("closing again").isEmpty();
    out.cancel();
    assertThat(read("0")).as("cancelled too late").isEqualTo("batch");
    if (overwrite) {
      write("0", "again", true);
      assertThat(read("0")).isEqualTo("again");
    }
  }

  @Test
  void theSecondWriterOfABatchFailsAndChangesNothing() throws IOException {
    CheckpointOutput second = files.create(file("0"), false);
    second.write("second".getBytes(UTF_8));
    write("0", "first", false);

    assertThatThrownBy(second::close)
        .isInstanceOf(FileAlreadyExistsException.class)
        .hasMessage(
            "ZR-7119: s3a://data/checkpoint/offsets/0 is not written: another writer has written it"
                + " before. If two streaming queries use this checkpoint location, stop one of"
                + " them, or give it a location of its own.");

    second.cancel();
    assertThat(read("0")).isEqualTo("first");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void ofACancelledFileNothingIsLeft(boolean overwrite) throws IOException {
    CheckpointOutput small = files.create(file("0"), overwrite);
    small.write("batch".getBytes(UTF_8));
    assertThat(requests(small::cancel)).isEmpty();
    small.close();

    CheckpointOutput longer = files.create(file("0"), overwrite);
    longer.write(large());
    longer.cancel();
    longer.close();

    assertThat(bucket.files("")).isEmpty();
    assertNothingPending();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aFileOfSeveralPartsIsCompletedOnce(boolean overwrite) throws IOException {
    assertThat(requests(() -> writeLarge("9.compact", overwrite)))
        .isEqualTo(
            Map.of(CREATE_MULTIPART_UPLOAD, 1L, UPLOAD_PART, 3L, COMPLETE_MULTIPART_UPLOAD, 1L));

    assertThat(Arrays.equals(bucket.read(key("9.compact")), large())).isTrue();
    assertNothingPending();
  }

  @Test
  void theSecondWriterOfAFileOfSeveralPartsFailsAndLeavesNoUpload() throws IOException {
    write("9.compact", "first", false);
    assertThatThrownBy(() -> writeLarge("9.compact", false))
        .isInstanceOf(FileAlreadyExistsException.class);
    assertThat(read("9.compact")).isEqualTo("first");
    assertNothingPending();
  }

  /** The client repeats the request by itself, and the store refuses the second. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aLostAnswerIsResolvedByTheIdentityOfTheFile(boolean overwrite) throws IOException {
    s3.gateway()
        .faults(
            FaultRule.first(1, type(PUT_OBJECT), Fault.loseAnswer())
                .or(FaultRule.first(1, type(COMPLETE_MULTIPART_UPLOAD), Fault.loseAnswer())));
    write("0", "batch", overwrite);
    assertThat(read("0")).isEqualTo("batch");
    writeLarge("9.compact", overwrite);
    assertThat(bucket.objects("").get(key("9.compact"))).isEqualTo(large().length);
    assertNothingPending();
  }

  @Test
  void anotherWriterBehindALostRequestIsNotTakenForThisOne() throws IOException {
    s3.gateway()
        .faults(
            request -> {
              if (request.type() == PUT_OBJECT && bucket.files("").isEmpty()) {
                bucket.write(request.key(), "other".getBytes(UTF_8));
                return Optional.of(Fault.cutBeforeForwarding());
              }
              return Optional.empty();
            });
    assertThatThrownBy(() -> write("0", "batch", false))
        .isInstanceOf(FileAlreadyExistsException.class);
    assertThat(read("0")).isEqualTo("other");
  }

  @Test
  void aStoreThatDoesNotAnswerFailsTheFile() throws IOException {
    s3.gateway().faults(FaultRule.always(type(PUT_OBJECT), Fault.accessDenied()));
    assertThatThrownBy(() -> write("0", "batch", false)).hasMessageContaining("AccessDenied");
    s3.gateway().faults(FaultRule.always(type(COMPLETE_MULTIPART_UPLOAD), Fault.accessDenied()));
    assertThat(
            requests(
                    () ->
                        assertThatThrownBy(() -> writeLarge("1", false))
                            .hasMessageContaining("AccessDenied"))
                .get(ABORT_MULTIPART_UPLOAD))
        .isEqualTo(1);
    assertThat(bucket.files("")).isEmpty();
    assertNothingPending();
  }

  /** What the suite of Spark's own demands of a directory costs nothing. */
  @Test
  void aDirectoryThatIsMadeIsThereWithoutARequest() throws IOException {
    Path made = new Path(LOG, "dir/subdir");
    assertThat(files.exists(made)).isFalse();

    assertThat(
            requests(
                () -> {
                  files.mkdirs(made);
                  assertThat(files.exists(made)).isTrue();
                  assertThat(files.exists(made.getParent())).isTrue();
                }))
        .isEmpty();
  }

  @Test
  void aDirectoryIsDeletedAsAWholeAndNothingBesideIt() throws IOException {
    write("dir/a", "a", true);
    write("dir/subdir/b", "b", true);
    write("dir2", "c", true);
    files.delete(file("dir"));
    assertThat(bucket.files("")).containsExactly(key("dir2"));
    assertThatThrownBy(() -> files.delete(new Path("s3a://data/")))
        .hasMessageStartingWith("ZR-7115: ");
  }

  /** A log of batches has files with numbers for names, and no directory of such a name. */
  @ParameterizedTest
  @ValueSource(strings = {"0", "7.delta", "7_5b1f-1.changelog"})
  void ofALogOfBatchesOrAStateStoreEachStepIsOneRequest(String name) throws IOException {
    write("1", "earlier", false);

    assertThat(requests(() -> assertThat(files.exists(file(name))).isFalse()))
        .isEqualTo(Map.of(HEAD_OBJECT, 1L));
    write(name, "batch", false);
    assertThat(requests(() -> assertThat(files.exists(file(name))).isTrue()))
        .isEqualTo(Map.of(HEAD_OBJECT, 1L));
    assertThat(requests(() -> files.delete(file(name)))).isEqualTo(Map.of(DELETE_OBJECTS, 1L));
    assertThat(bucket.files("")).containsExactly(key("1"));
  }

  @Test
  void beforeABatchIsWrittenANumberMayBeADirectory() throws IOException {
    new CheckpointFiles(file("0"), conf).create(file("0/1.delta"), true).close();

    assertThat(files.exists(file("0"))).isTrue();
    assertThat(requests(() -> assertThat(files.exists(file("7"))).isFalse()))
        .isEqualTo(Map.of(HEAD_OBJECT, 1L, LIST_OBJECTS_V2, 1L));
  }

  /** Readers of the sink's files ask Hadoop's file system whether it is there. */
  @Test
  void theLogOfAFileSinkIsThereBeforeItsFirstBatch() throws IOException {
    Path log = new Path("s3a://data/out/_spark_metadata");
    CheckpointFiles sink = new CheckpointFiles(log, conf);
    assertThat(requests(() -> sink.mkdirs(log))).isEqualTo(Map.of(PUT_OBJECT, 1L));
    assertThat(log.getFileSystem(conf).getFileStatus(log).isDirectory()).isTrue();
    assertThat(sink.list(log, ALL)).isEmpty();
  }

  /** The client repeats a request whose answer was lost, and then its credentials have expired. */
  @Test
  void aRefusalBehindALostAnswerIsResolvedByTheIdentityOfTheFile() throws IOException {
    s3.gateway()
        .faults(
            FaultRule.nth(1, type(PUT_OBJECT), Fault.loseAnswer())
                .or(FaultRule.always(type(PUT_OBJECT), Fault.accessDenied())));
    write("0", "batch", false);
    assertThat(read("0")).isEqualTo("batch");
  }
}
