package io.zerorename.hive;

import static io.zerorename.testing.s3server.FaultRule.always;
import static io.zerorename.testing.s3server.FaultRule.type;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.config.CoreKeys;
import io.zerorename.core.document.TaskManifest;
import io.zerorename.core.upload.OutputFile;
import io.zerorename.testing.process.Await;
import io.zerorename.testing.s3server.BucketContents;
import io.zerorename.testing.s3server.EmbeddedS3Server;
import io.zerorename.testing.s3server.Fault;
import io.zerorename.testing.s3server.FaultRule;
import io.zerorename.testing.s3server.RequestCounts;
import io.zerorename.testing.s3server.RequestType;
import java.io.IOException;
import java.security.PrivilegedExceptionAction;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hive.ql.exec.FileSinkOperator.RecordWriter;
import org.apache.hadoop.hive.ql.io.HiveIgnoreKeyTextOutputFormat;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.util.Progressable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Writers that are open together are closed together, as Hive closes them in a row. */
class ClosedAheadTest {
  private static final String SINK = "-ext-10000";
  private static final String OTHER_SINK = "-ext-10002";
  private static final int WRITERS = 6;
  private static final int AT_ONCE = 4;

  /** Long enough to close one other meanwhile. */
  private static final FaultRule SLOW =
      always(type(RequestType.UPLOAD_PART), new Fault.Delay(Duration.ofSeconds(1)));

  private static EmbeddedS3Server server;
  private static BucketContents bucket;

  @TempDir private java.nio.file.Path temporary;

  private final String table = UUID.randomUUID().toString();
  private TaskWriters task;
  private RequestCounts before;

  @BeforeAll
  static void start() throws IOException {
    server = EmbeddedS3Server.start();
    bucket = server.createBucket("ahead");
  }

  @AfterAll
  static void stop() throws IOException {
    server.close();
  }

  @BeforeEach
  void startTask() {
    task =
        new TaskWriters(
            server, new Path("s3a://ahead/" + table), new Path(temporary.toUri()), temporary);
    task.conf().set(CoreKeys.INLINE_MAX_BYTES.name(), "0");
    task.conf().setInt(CoreKeys.UPLOAD_THREADS.name(), AT_ONCE);
    server.gateway().faults(together());
    before = server.gateway().counts();
  }

  /** No part is answered before those of all that are closed together have come. */
  private static FaultRule together() {
    CountDownLatch come = new CountDownLatch(AT_ONCE);
    return request -> {
      if (request.type() == RequestType.UPLOAD_PART) {
        come.countDown();
        try {
          // A limit, so that a test with fewer fails and does not hang.
          come.await(1, TimeUnit.MINUTES);
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
        }
      }
      return Optional.empty();
    };
  }

  @AfterEach
  void mend() {
    server.gateway().faults(FaultRule.NONE);
  }

  @Test
  void lastPartsAreSentTogether() throws Exception {
    List<RecordWriter> writers = openAll(SINK);

    writers.get(0).close(false);
    assertThat(sent()).as("sent together with the first").isEqualTo(AT_ONCE);
    assertThat(task.progress()).as("of each that was closed with it").isEqualTo(AT_ONCE - 1);
    assertThat(hasManifest(0)).isTrue();
    assertThat(hasManifest(1)).as("before Hive's turn").isFalse();

    server.gateway().faults(FaultRule.NONE);
    for (int i = WRITERS - 1; i > 0; i--) {
      writers.get(i).close(false);
    }
    assertThat(pending()).isEqualTo(WRITERS);
    for (int i = 0; i < WRITERS; i++) {
      OutputFile file =
          TaskManifest.read(FileSystem.getLocal(task.conf()), task.manifest(SINK, partition(i)))
              .files()
              .get(0);
      assertThat(file.key()).startsWith(table + "/" + partition(i) + "/");
      assertThat(file.length()).isEqualTo(partition(i).length() + 1);
    }
  }

  /** Until Hive's turn comes, each has its upload, and must not have threads as well. */
  @Test
  void filesThatAreSentKeepNoThreads() throws Exception {
    List<RecordWriter> writers = openAll(SINK);
    writers.get(0).close(false);
    assertThat(sent()).isEqualTo(AT_ONCE);
    Await.until("no thread is left", () -> uploadThreads() == 0);
    abort(writers);
  }

  private static long uploadThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("upload-attempt_1_0001_m_000000_0"))
        .count();
  }

  /** Hive forgets the others of the sink then, of which parts may be under way. */
  @Test
  void whereOneFailsThoseThatWereClosedAreGivenUp() throws Exception {
    List<RecordWriter> writers = openAll(SINK);
    refusePartOf(0);
    assertThatThrownBy(() -> writers.get(0).close(false)).hasMessageContaining("Access Denied");
    for (int i = 0; i < AT_ONCE; i++) {
      assertThat(bucket.pendingUploads(table + "/" + partition(i))).isEmpty();
    }
    assertThatThrownBy(() -> writers.get(1).close(false))
        .isInstanceOf(IOException.class)
        .as("the reason, where Hive closes all and tells the last failure")
        .hasMessageContaining("Access Denied");
    abort(writers);
    assertThat(pending()).isZero();
  }

  @Test
  void writersOfAnotherSinkStayOpen() throws Exception {
    List<RecordWriter> writers = openAll(SINK);
    RecordWriter other = task.open(OTHER_SINK, "p=other", HiveIgnoreKeyTextOutputFormat.class);

    writers.get(0).close(false);
    assertThat(sent()).as("closed with the first").isEqualTo(AT_ONCE);

    other.write(new Text("goes on"));
    other.close(false);
    assertThat(FileSystem.getLocal(task.conf()).exists(task.manifest(OTHER_SINK, "p=other")))
        .isTrue();
    assertThat(sent()).isEqualTo(AT_ONCE + 1);
    abort(writers);
  }

  @Test
  void withOneThreadEachIsClosedInItsTurn() throws Exception {
    task.conf().setInt(CoreKeys.UPLOAD_THREADS.name(), 1);
    server.gateway().faults(FaultRule.NONE);
    List<RecordWriter> writers = openAll(SINK);
    writers.get(0).close(false);
    writers.get(1).write(new Text("goes on"));
    assertThat(sent()).isEqualTo(1);
    abort(writers);
  }

  /** They are all open before the first is handed over. The limit is for two files. */
  @Test
  void smallFilesAreCountedTogetherAgainstWhatTheirTaskMayHandOver() throws Exception {
    task.conf().set(CoreKeys.INLINE_MAX_BYTES.name(), "5");
    // All tasks share what the commit takes, 256 MiB.
    task.conf().setInt("mapreduce.job.maps", (256 << 20) / 10);
    server.gateway().faults(FaultRule.NONE);
    for (RecordWriter writer : openAll(SINK)) {
      writer.close(false);
    }
    assertThat(pending()).isEqualTo(WRITERS - 2);
  }

  @Test
  void rowAfterTheCloseOfAnotherFileIsRefused() throws Exception {
    List<RecordWriter> writers = openAll(SINK);
    writers.get(0).close(false);
    assertThatThrownBy(() -> writers.get(1).write(new Text("late")))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(task.manifest(SINK, partition(1)).toString())
        .hasMessageContaining("zerorename.upload.threads=1");
    abort(writers);
    assertThat(pending()).isEqualTo(1);
  }

  @Test
  void failureOfAnotherFileIsToldInItsTurn() throws Exception {
    server.gateway().faults(SLOW);
    RecordWriter first = open(SINK, 0);
    RecordWriter failing = task.open(SINK, partition(1), FailingOutputFormat.class);
    first.close(false);
    assertThat(hasManifest(0)).isTrue();
    assertThat(pending()).as("what Hive may forget is given up at once").isEqualTo(1);
    assertThatThrownBy(() -> failing.close(false))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(task.manifest(SINK, partition(1)).toString())
        .hasMessageContaining("planned");
    assertThat(hasManifest(1)).isFalse();
    assertThat(pending()).isEqualTo(1);
  }

  /** Hive forgets the writers after one that throws; Tez and LLAP close the file systems. */
  @Test
  void filesThatHiveForgetsAreGivenUpWithTheirFileSystem() throws Exception {
    UserGroupInformation user = UserGroupInformation.createRemoteUser(table);
    List<RecordWriter> writers =
        user.doAs(
            (PrivilegedExceptionAction<List<RecordWriter>>)
                () -> {
                  List<RecordWriter> opened = openAll(SINK);
                  opened.get(0).close(false);
                  return opened;
                });

    FileSystem.closeAllForUGI(user);

    for (int i = 1; i < AT_ONCE; i++) {
      RecordWriter forgotten = writers.get(i);
      // Or given up in vain, where S3A was closed before: then the end of the query aborts it.
      assertThatThrownBy(() -> forgotten.close(false))
          .isInstanceOf(IOException.class)
          .message()
          .contains("ZR-2111", "its file system was closed");
      assertThat(hasManifest(i)).isFalse();
    }
    assertThat(bucket.pendingUploads(table + "/" + partition(0))).hasSize(1);
  }

  /** A table's format whose writers cannot be closed. */
  public static final class FailingOutputFormat
      extends HiveIgnoreKeyTextOutputFormat<NullWritable, Text> {
    @Override
    public RecordWriter getHiveRecordWriter(
        JobConf conf,
        Path path,
        Class<? extends Writable> valueClass,
        boolean isCompressed,
        Properties tableProperties,
        Progressable progress)
        throws IOException {
      RecordWriter writer =
          super.getHiveRecordWriter(
              conf, path, valueClass, isCompressed, tableProperties, progress);
      return new RecordWriter() {
        @Override
        public void write(Writable row) throws IOException {
          writer.write(row);
        }

        @Override
        public void close(boolean abort) throws IOException {
          writer.close(abort);
          throw new IOException("planned");
        }
      };
    }
  }

  private void refusePartOf(int number) {
    server
        .gateway()
        .faults(
            together()
                .or(
                    FaultRule.first(
                        1,
                        request ->
                            request.type() == RequestType.UPLOAD_PART
                                && request.key().startsWith(table + "/" + partition(number)),
                        Fault.accessDenied())));
  }

  private List<RecordWriter> openAll(String sink) throws IOException {
    List<RecordWriter> writers = new ArrayList<>();
    for (int i = 0; i < WRITERS; i++) {
      writers.add(open(sink, i));
    }
    return writers;
  }

  /** A writer whose file has one row, its partition. */
  private RecordWriter open(String sink, int number) throws IOException {
    RecordWriter writer = task.open(sink, partition(number), HiveIgnoreKeyTextOutputFormat.class);
    writer.write(new Text(partition(number)));
    return writer;
  }

  private static String partition(int number) {
    return "p=" + number;
  }

  private static void abort(List<RecordWriter> writers) throws IOException {
    for (RecordWriter writer : writers) {
      writer.close(true);
    }
  }

  /** Files of which the only part was sent, in this test. */
  private long sent() {
    return server.gateway().counts().minus(before).of(RequestType.UPLOAD_PART);
  }

  private int pending() {
    return bucket.pendingUploads(table + "/").size();
  }

  private boolean hasManifest(int number) throws IOException {
    return FileSystem.getLocal(task.conf()).exists(task.manifest(SINK, partition(number)));
  }
}
