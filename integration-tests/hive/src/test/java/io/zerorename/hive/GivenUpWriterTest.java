package io.zerorename.hive;

import static io.zerorename.testing.s3server.FaultRule.always;
import static io.zerorename.testing.s3server.FaultRule.type;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.testing.s3server.BucketContents;
import io.zerorename.testing.s3server.EmbeddedS3Server;
import io.zerorename.testing.s3server.Fault;
import io.zerorename.testing.s3server.FaultRule;
import io.zerorename.testing.s3server.RequestType;
import java.io.IOException;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.UnsupportedFileSystemException;
import org.apache.hadoop.hive.ql.exec.FileSinkOperator;
import org.apache.hadoop.hive.ql.io.HiveIgnoreKeyTextOutputFormat;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.util.Progressable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The writers of a task attempt that failed or was killed, as Hive closes them. */
class GivenUpWriterTest {
  private static EmbeddedS3Server server;
  private static BucketContents bucket;

  @TempDir private java.nio.file.Path temporary;

  @BeforeAll
  static void start() throws IOException {
    server = EmbeddedS3Server.start();
    bucket = server.createBucket("given-up");
  }

  @AfterAll
  static void stop() throws IOException {
    server.close();
  }

  @AfterEach
  void mend() {
    server.gateway().faults(FaultRule.NONE);
  }

  /** LLAP and Tez kill a task attempt by an interrupt of its thread, which Hive leaves set. */
  @Test
  void uploadOfAKilledAttemptIsAbortedUnderTheInterrupt() throws Exception {
    FileSinkOperator.RecordWriter writer = writerWithUpload("killed");

    Thread.currentThread().interrupt();
    try {
      writer.close(true);
    } finally {
      assertThat(Thread.interrupted()).as("interrupted").isTrue();
    }

    assertThat(bucket.pendingUploads("killed/")).isEmpty();
  }

  /** Hive does not close the writers after one that throws. */
  @Test
  void writerWhoseUploadCannotBeAbortedDoesNotThrow() throws Exception {
    FileSinkOperator.RecordWriter first = writerWithUpload("first");
    FileSinkOperator.RecordWriter second = writerWithUpload("second");
    server.gateway().faults(always(type(RequestType.ABORT_MULTIPART_UPLOAD), Fault.accessDenied()));

    first.close(true);
    assertThat(bucket.pendingUploads("first/")).hasSize(1);

    server.gateway().faults(FaultRule.NONE);
    second.close(true);
    assertThat(bucket.pendingUploads("second/")).isEmpty();
  }

  /** Nobody would close it. */
  @Test
  void tableIsNotOpenedWithoutAPlaceForItsManifest() {
    Path noPlace = new Path("unknown://host/");
    assertThatThrownBy(() -> writer("closed", noPlace, OpenedOutputFormat.class))
        .isInstanceOf(UnsupportedFileSystemException.class);
    assertThat(OpenedOutputFormat.OPENED).hasValue(0);
  }

  /** A table's format that counts its writers. */
  public static final class OpenedOutputFormat
      extends HiveIgnoreKeyTextOutputFormat<NullWritable, Text> {
    private static final AtomicInteger OPENED = new AtomicInteger();

    @Override
    public FileSinkOperator.RecordWriter getHiveRecordWriter(
        JobConf conf,
        Path path,
        Class<? extends Writable> valueClass,
        boolean isCompressed,
        Properties tableProperties,
        Progressable progress)
        throws IOException {
      OPENED.incrementAndGet();
      return super.getHiveRecordWriter(
          conf, path, valueClass, isCompressed, tableProperties, progress);
    }
  }

  /** A writer of a table's partition, of which a part is already on S3. */
  private FileSinkOperator.RecordWriter writerWithUpload(String table) throws IOException {
    FileSinkOperator.RecordWriter writer =
        writer(table, new Path(temporary.toUri()), HiveIgnoreKeyTextOutputFormat.class);
    Text row = new Text("x".repeat(1 << 20));
    while (bucket.pendingUploads(table + "/").isEmpty()) {
      writer.write(row);
    }
    return writer;
  }

  private FileSinkOperator.RecordWriter writer(String table, Path scratch, Class<?> format)
      throws IOException {
    return new TaskWriters(server, new Path("s3a://given-up/" + table), scratch, temporary)
        .open("p=1", format);
  }
}
