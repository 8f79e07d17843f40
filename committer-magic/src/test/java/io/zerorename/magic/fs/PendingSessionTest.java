package io.zerorename.magic.fs;

import static io.zerorename.magic.fs.TestBucket.path;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.config.CoreKeys;
import io.zerorename.core.store.RequestType;
import io.zerorename.core.store.StoreException;
import io.zerorename.core.upload.InlineFile;
import io.zerorename.core.upload.OutputFile;
import io.zerorename.testing.FaultPlan.Moment;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.security.PrivilegedExceptionAction;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonPathCapabilities;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.StreamCapabilities;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PendingSessionTest {
  private static final byte[] ROW = "one row\n".getBytes(UTF_8);
  private static final int TAIL = 1 << 20;

  private TestBucket bucket;
  private PendingSession session;
  private FileSystem fileSystem;

  @BeforeEach
  void openSession(@TempDir File directory) throws IOException {
    bucket = new TestBucket(directory);
    session = bucket.open("attempt_1_0001_m_000000_0");
    fileSystem = bucket.fileSystem(session);
  }

  private Path pending(String key) {
    return session.pathOf(path(key));
  }

  @AfterEach
  void closeSession() throws IOException {
    session.close();
  }

  @Test
  void theEndsOfManyFilesDoNotFillTheMemory() throws IOException {
    byte[] mebibyte = new byte[1 << 20];
    for (int i = 0; i < 18; i++) {
      bucket.write(session, "table/" + i, mebibyte);
    }
    try (FSDataInputStream last = fileSystem.open(pending("table/17"));
        FSDataInputStream kept = fileSystem.open(pending("table/2"));
        FSDataInputStream forgotten = fileSystem.open(pending("table/1"))) {
      assertThat(last.readAllBytes()).isEqualTo(mebibyte);
      assertThat(kept.readAllBytes()).isEqualTo(mebibyte);
      assertThatThrownBy(forgotten::read).hasMessageContaining("only the last 0 of its 1048576");
    }
    assertThat(session.files()).extracting(OutputFile::length).containsOnly(1L << 20).hasSize(18);
  }

  @Test
  void abortLeavesNoUploadOfClosedAndOpenFilesAndWritingGoesOnInVain() throws IOException {
    bucket.write(session, "t/closed", ROW);
    FSDataOutputStream open = fileSystem.create(pending("t/open"));
    open.write(new byte[6 << 20]);

    session.abort();

    assertThat(bucket.store().pendingKeys()).isEmpty();
    bucket.store().resetCounts();
    assertThatThrownBy(() -> open.write(ROW))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("t/open")
        .hasMessageContaining("aborted");
    assertThatThrownBy(() -> fileSystem.create(pending("t/next")))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("aborted");
    assertThatThrownBy(open::close).hasMessageContaining("its task attempt was aborted");
    assertThatThrownBy(session::files).hasMessageContaining("aborted");
    assertThat(bucket.requests()).isEmpty();
    assertThat(bucket.store().pendingKeys()).isEmpty();
  }

  @Test
  void fileThatIsStillOpenCannotBeCommitted() throws IOException {
    try (FSDataOutputStream open = fileSystem.create(pending("t/open"))) {
      open.write(ROW);
      assertThatThrownBy(session::files)
          .isInstanceOf(IOException.class)
          .hasMessageContaining("t/open")
          .hasMessageContaining("Close the record writer first");
    }
    assertThat(session.files()).hasSize(1);
  }

  /** A close leaves the last part under way. */
  @Test
  void whatFailsAfterTheCloseFailsTheAttemptUnlessItIsWrittenAgain() throws IOException {
    bucket.write(session, "t/a-good", ROW);
    session.files();
    bucket
        .store()
        .faults()
        .fail(RequestType.UPLOAD_PART, 1, Moment.BEFORE_EFFECT, StoreException.Kind.ACCESS_DENIED);
    bucket.write(session, "t/bad", ROW);

    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(session::files)
          .isInstanceOf(IOException.class)
          .hasMessageContaining("t/bad")
          .hasStackTraceContaining("ACCESS_DENIED");
    }
    assertThat(bucket.store().pendingKeys()).containsExactly("t/a-good");

    bucket.write(session, "t/bad", ROW);
    bucket.complete(session);
    assertThat(bucket.store().content("t/bad")).isEqualTo(ROW);
    assertThat(bucket.store().pendingKeys()).isEmpty();
  }

  @Test
  void fileSystemClosedByOthersKeepsTheBytesOfSmallFiles() throws IOException {
    bucket.conf().unset(CoreKeys.INLINE_MAX_BYTES.name());
    try (PendingSession other = bucket.open("attempt_1_0001_m_000000_1")) {
      bucket.write(other, "t/f", ROW);
      bucket.fileSystem(other).close();
      InlineFile file = (InlineFile) other.files().get(0);
      try (InputStream bytes = file.body().open()) {
        assertThat(bytes.readAllBytes()).isEqualTo(ROW);
      }
    }
  }

  /** Hadoop's cache closes the one of two instances that comes second. */
  @Test
  void aLookAtThePathWhileASessionOpensDoesNotEndIt() throws Exception {
    Path root = PendingSession.pathOf(path("t"), "raced");
    AtomicBoolean done = new AtomicBoolean();
    CompletableFuture<Void> looks =
        CompletableFuture.runAsync(
            () -> {
              while (!done.get()) {
                try {
                  FileSystem found = root.getFileSystem(new Configuration(false));
                  if (!((PendingFileSystem) found).isOfSession()) {
                    found.close();
                  }
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              }
            });
    try {
      for (int i = 0; i < 300; i++) {
        try (PendingSession raced = bucket.openNamed("raced")) {
          bucket.write(raced, "t/f", ROW);
          assertThat(raced.files()).hasSize(1);
        }
      }
    } finally {
      done.set(true);
    }
    looks.get(1, TimeUnit.MINUTES);
  }

  @Test
  void anotherUserDoesNotFindTheSession() {
    Path pending = pending("t/f");
    PrivilegedExceptionAction<OutputStream> create =
        () -> pending.getFileSystem(new Configuration()).create(pending);
    assertThatThrownBy(() -> UserGroupInformation.createRemoteUser("other").doAs(create))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("belongs to another user");
    assertThat(session.hasFiles()).isFalse();
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
  void overwrittenStreamCannotDisturbItsSuccessor() throws IOException {
    FSDataOutputStream first = fileSystem.create(pending("t/f"));
    first.write(new byte[6 << 20]);
    bucket.write(session, "t/f", ROW);
    assertThatThrownBy(() -> first.write(ROW)).hasMessageContaining("overwritten");
    assertThatThrownBy(first::close).hasMessageContaining("overwritten");
    assertThat(fileSystem.getFileStatus(pending("t/f")).getLen()).isEqualTo(ROW.length);
    assertThat(session.files()).hasSize(1);
    bucket.write(session, "t/f", ROW);
    session.files();
    assertThat(bucket.store().pendingKeys()).containsExactly("t/f");
    bucket.complete(session);
    assertThat(bucket.store().content("t/f")).isEqualTo(ROW);
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
    assertThatThrownBy(() -> fileSystem.rename(pending("t/f"), pending("t/g")))
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessageContaining("key is fixed when it is created");
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
