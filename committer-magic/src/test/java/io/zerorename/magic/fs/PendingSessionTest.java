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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PendingSessionTest {
  private static final byte[] ROW = "one row\n".getBytes(UTF_8);

  private TestBucket bucket;
  private PendingSession session;

  @BeforeEach
  void openSession(@TempDir File directory) throws IOException {
    bucket = new TestBucket(directory);
    session = bucket.open("attempt_1_0001_m_000000_0");
  }

  @AfterEach
  void closeSession() throws IOException {
    session.close();
  }

  @Test
  void theEndsOfManyFilesDoNotFillTheMemory() throws IOException {
    byte[] mebibyte = new byte[1 << 20];
    FileSystem fileSystem = bucket.fileSystem(session);
    for (int i = 0; i < 18; i++) {
      bucket.write(session, "table/" + i, mebibyte);
    }
    try (FSDataInputStream last = fileSystem.open(session.pathOf(path("table/17")));
        FSDataInputStream kept = fileSystem.open(session.pathOf(path("table/2")));
        FSDataInputStream forgotten = fileSystem.open(session.pathOf(path("table/1")))) {
      assertThat(last.readAllBytes()).isEqualTo(mebibyte);
      assertThat(kept.readAllBytes()).isEqualTo(mebibyte);
      assertThatThrownBy(forgotten::read).hasMessageContaining("only the last 0 of its 1048576");
    }
    assertThat(session.files()).extracting(OutputFile::length).containsOnly(1L << 20).hasSize(18);
  }

  @Test
  void pendingUploadNamesItsDestinationJobAndAttempt() throws IOException {
    Path destination = path("warehouse/t e+st/ds=2024-01-01 00%3A00/000000_0.a#b");
    try (OutputStream out = bucket.fileSystem(session).create(session.pathOf(destination))) {
      out.write(ROW);
    }
    assertThat(session.files()).hasSize(1);
    OutputFile upload = session.files().get(0);
    assertThat(upload.destination()).isEqualTo(destination);
    assertThat(upload.key()).isEqualTo("warehouse/t e+st/ds=2024-01-01 00%3A00/000000_0.a#b");
    assertThat(upload.jobId()).isEqualTo("job-1");
    assertThat(upload.taskAttemptId()).isEqualTo("attempt_1_0001_m_000000_0");
    assertThat(upload.length()).isEqualTo(ROW.length);
  }

  @Test
  void abortLeavesNoUploadOfClosedAndOpenFilesAndWritingGoesOnInVain() throws IOException {
    bucket.write(session, "t/closed", ROW);
    FSDataOutputStream open = bucket.fileSystem(session).create(session.pathOf(path("t/open")));
    open.write(new byte[6 << 20]);

    session.abort();

    assertThat(bucket.store().pendingKeys()).isEmpty();
    bucket.store().resetCounts();
    assertThatThrownBy(() -> open.write(ROW))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("t/open")
        .hasMessageContaining("aborted");
    assertThatThrownBy(() -> bucket.fileSystem(session).create(session.pathOf(path("t/next"))))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("aborted");
    assertThatThrownBy(open::close).hasMessageContaining("its task attempt was aborted");
    assertThatThrownBy(session::files).hasMessageContaining("aborted");
    assertThat(bucket.requests()).isEmpty();
    assertThat(bucket.store().pendingKeys()).isEmpty();
  }

  @Test
  void fileThatIsStillOpenCannotBeCommitted() throws IOException {
    try (FSDataOutputStream open =
        bucket.fileSystem(session).create(session.pathOf(path("t/open")))) {
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

  @Test
  void sessionsOfOneAttemptDoNotSeeEachOther() throws IOException {
    try (PendingSession other = bucket.open("attempt_1_0001_m_000000_0")) {
      bucket.write(session, "t/f", ROW);
      assertThat(bucket.fileSystem(other).exists(other.pathOf(path("t/f")))).isFalse();
      other.abort();
    }
    assertThat(session.files()).hasSize(1);
    assertThat(bucket.store().pendingKeys()).containsExactly("t/f");
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
    Path pending = session.pathOf(path("t/f"));
    PrivilegedExceptionAction<OutputStream> create =
        () -> pending.getFileSystem(new Configuration()).create(pending);
    assertThatThrownBy(() -> UserGroupInformation.createRemoteUser("other").doAs(create))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("belongs to another user");
    assertThat(session.hasFiles()).isFalse();
  }
}
