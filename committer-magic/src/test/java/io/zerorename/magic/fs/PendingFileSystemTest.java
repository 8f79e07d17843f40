package io.zerorename.magic.fs;

import static io.zerorename.magic.fs.TestBucket.path;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.store.RequestType;
import java.io.File;
import java.io.IOException;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonPathCapabilities;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.StreamCapabilities;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PendingFileSystemTest {

  private static final byte[] ROW = "one row\n".getBytes(UTF_8);
  private static final int TAIL = 1 << 20;

  private TestBucket bucket;
  private PendingSession session;
  private FileSystem fileSystem;

  @BeforeEach
  void openSession(@TempDir File directory) throws IOException {
    bucket = new TestBucket(directory);
    session = bucket.open("attempt");
    fileSystem = bucket.fileSystem(session);
  }

  @AfterEach
  void closeSession() throws IOException {
    session.close();
  }

  private Path pending(String key) {
    return session.pathOf(path(key));
  }

  @Test
  void lookingAtFilesAndDirectoriesSendsNoRequest() throws IOException {
    bucket.store().plant("t/there/before", ROW);
    bucket.write(session, "t/ds=1/f", ROW);
    session.files();
    bucket.store().resetCounts();

    assertThat(fileSystem.exists(pending("t/there/before"))).isFalse();
    assertThat(fileSystem.mkdirs(pending("t/ds=2"))).isTrue();
    assertThat(fileSystem.listStatus(pending("t")))
        .extracting(status -> status.getPath().getName())
        .containsExactly("ds=1", "ds=2");
    assertThat(fileSystem.getFileStatus(pending("t/ds=1")).isDirectory()).isTrue();
    assertThat(fileSystem.getFileStatus(pending("t/ds=1/f")).getLen()).isEqualTo(ROW.length);
    assertThat(fileSystem.delete(pending("t/absent"), true)).isFalse();
    assertThat(fileSystem.delete(pending("t/ds=2"), false)).isTrue();
    try (FSDataInputStream in = fileSystem.open(pending("t/ds=1/f"))) {
      assertThat(in.readAllBytes()).isEqualTo(ROW);
    }

    assertThat(bucket.requests()).isEmpty();
  }

  /** Some writers flush what they have closed, and S3A's streams let them. */
  @Test
  void flushesAreDeniedButHarmlessAfterTheCloseToo() throws IOException {
    FSDataOutputStream out = fileSystem.create(pending("t/f"));
    out.write(ROW);
    out.hflush();
    out.hsync();
    assertThat(out.hasCapability(StreamCapabilities.HSYNC)).isFalse();
    // The Create that the first byte has begun, or not even that yet.
    assertThat(bucket.requests()).isIn(Map.of(), Map.of(RequestType.CREATE_UPLOAD, 1L));
    out.close();
    out.flush();
    out.hflush();
    out.hsync();
    out.close();
    assertThatThrownBy(() -> out.write(1)).isInstanceOf(IOException.class);
    assertThat(fileSystem.hasPathCapability(pending("t"), CommonPathCapabilities.FS_APPEND))
        .isFalse();
  }

  /** Where Hadoop's own committer is used, they have been moved by then. */
  @Test
  void filesThatAreWaitedForAreNotDeletedAtTheEnd() throws IOException {
    try (FSDataOutputStream out = fileSystem.create(pending("t/f"))) {
      out.write(new byte[6 << 20]);
    }
    assertThat(fileSystem.deleteOnExit(pending("t/f"))).isTrue();
    assertThat(session.files()).hasSize(1);
    session.close();
    assertThat(bucket.store().pendingKeys()).hasSize(1);
  }

  @Test
  void overwritingAbortsTheEarlierUpload() throws IOException {
    bucket.write(session, "t/f", new byte[100]);
    session.files();
    bucket.write(session, "t/f", ROW);
    session.files();
    assertThat(bucket.requests())
        .isEqualTo(
            Map.of(
                RequestType.CREATE_UPLOAD, 2L,
                RequestType.UPLOAD_PART, 2L,
                RequestType.ABORT_UPLOAD, 1L));
    assertThat(bucket.store().pendingKeys()).containsExactly("t/f");
    bucket.complete(session);
    assertThat(bucket.store().content("t/f")).isEqualTo(ROW);
  }

  @Test
  void overwrittenStreamCannotDisturbItsSuccessor() throws IOException {
    FSDataOutputStream first = fileSystem.create(pending("t/f"));
    first.write(new byte[6 << 20]);
    bucket.write(session, "t/f", ROW);
    assertThatThrownBy(() -> first.write(ROW)).hasMessageContaining("overwritten");
    assertThatThrownBy(first::close).hasMessageContaining("overwritten");
    assertThat(fileSystem.getFileStatus(pending("t/f")).getLen()).isEqualTo(ROW.length);
    assertThat(session.files()).hasSize(1);
    assertThat(bucket.store().pendingKeys()).containsExactly("t/f");
  }

  @Test
  void deletingAFileAbortsItsUpload() throws IOException {
    bucket.write(session, "t/a/f", ROW);
    bucket.write(session, "t/a/g", ROW);
    bucket.write(session, "t/b", ROW);
    assertThat(fileSystem.delete(pending("t/a/f"), false)).isTrue();
    assertThat(session.files()).hasSize(2);
    assertThat(bucket.store().pendingKeys()).containsExactly("t/a/g", "t/b");
    assertThat(fileSystem.delete(pending("t/a"), true)).isTrue();
    assertThat(bucket.store().pendingKeys()).containsExactly("t/b");
    assertThat(session.files()).hasSize(1);
  }

  @Test
  void endOfALargeFileCanBeReadBackAndTheErrorBeforeItNamesTheSetting() throws IOException {
    byte[] bytes = new byte[(7 << 20) + 3];
    new Random(2).nextBytes(bytes);
    bucket.write(session, "t/f", bytes);
    FileStatus status = fileSystem.getFileStatus(pending("t/f"));
    assertThat(status.getLen()).isEqualTo(bytes.length);

    try (FSDataInputStream in = fileSystem.open(pending("t/f"))) {
      in.seek(bytes.length - TAIL);
      byte[] end = new byte[TAIL];
      in.readFully(end);
      assertThat(end).isEqualTo(Arrays.copyOfRange(bytes, bytes.length - TAIL, bytes.length));
      byte[] last = new byte[8];
      in.readFully(bytes.length - 8, last);
      assertThat(last).isEqualTo(Arrays.copyOfRange(bytes, bytes.length - 8, bytes.length));
      assertThat(in.read()).isEqualTo(-1);
      in.seek(bytes.length - TAIL - 1);
      assertThatThrownBy(in::read)
          .isInstanceOf(IOException.class)
          .hasMessageContaining("byte " + (bytes.length - TAIL - 1))
          .hasMessageContaining("t/f")
          .hasMessageContaining("zerorename.upload.tail.size");
    }
  }

  @Test
  void whatAnUploadCannotDoIsRefusedWithTheReason() throws IOException {
    bucket.write(session, "t/f", ROW);
    Path file = pending("t/f");
    Path other = pending("t/g");
    String reason = "key is fixed when it is created";
    assertThatThrownBy(() -> fileSystem.rename(file, other))
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessageContaining(file.toString())
        .hasMessageContaining(reason);
    assertThatThrownBy(() -> fileSystem.append(file)).hasMessageContaining(reason);
    assertThatThrownBy(() -> fileSystem.appendFile(file).build()).hasMessageContaining(reason);
    assertThatThrownBy(() -> fileSystem.truncate(file, 1))
        .isInstanceOf(UnsupportedOperationException.class);
    assertThatThrownBy(() -> fileSystem.concat(file, new Path[] {other}))
        .isInstanceOf(UnsupportedOperationException.class);
    assertThat(session.files()).hasSize(1);
  }

  @Test
  void bytesWrittenAreCountedForTheDestinationsFileSystem() throws IOException {
    FileSystem.getGlobalStorageStatistics().reset();
    bucket.write(session, "t/f", ROW);
    assertThat(FileSystem.getGlobalStorageStatistics().get("s3a").getLong("bytesWritten"))
        .isEqualTo(ROW.length);
  }

  /** Hadoop lists them by class, for ever: the class loader of a session of Hive would stay. */
  @Test
  @SuppressWarnings("deprecation")
  void hadoopHasNoStatisticsOfTheClass() throws IOException {
    bucket.write(session, "t/f", ROW);
    Configuration conf = new Configuration(bucket.conf());
    PendingFileSystem.register(conf);
    FileSystem.newInstance(fileSystem.getUri(), conf).close();

    assertThat(FileSystem.getAllStatistics())
        .extracting(FileSystem.Statistics::getScheme)
        .contains("s3a")
        .doesNotContain(PendingFileSystem.SCHEME);
  }
}
