package io.zerorename.magic.fs;

import static io.zerorename.magic.fs.TestBucket.path;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.config.CoreKeys;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.store.RequestType;
import io.zerorename.core.store.StoreException.Kind;
import io.zerorename.core.upload.Buffering;
import io.zerorename.testing.FaultPlan.Moment;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.security.PrivilegedExceptionAction;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Sessions that nobody closes, as Hive leaves them where an earlier writer of the attempt fails to
 * close. The process lives on: LLAP's daemons and Tez's containers close the file systems of the
 * task's user, and run the next.
 */
class ForgottenSessionTest {
  private static final byte[] MORE_THAN_A_PART = new byte[6 << 20];

  /** Of tests before. */
  private final long usedBefore = Buffering.memoryUsed();

  private final UserGroupInformation taskUser =
      UserGroupInformation.createRemoteUser("task-" + UUID.randomUUID());
  private TestBucket bucket;

  @BeforeEach
  void makeBucket(@TempDir File directory) {
    bucket = new TestBucket(directory);
    bucket.conf().set("fs.s3a.fast.upload.buffer", "bytebuffer");
  }

  @Test
  void keepsNoMemoryEitherWhereItsUploadsCannotBeAborted() throws Exception {
    OutputStream out = open("t/f");
    out.write(MORE_THAN_A_PART);
    bucket
        .store()
        .faults()
        .failFrom(RequestType.ABORT_UPLOAD, 1, Moment.BEFORE_EFFECT, Kind.ACCESS_DENIED);

    assertThatCode(() -> FileSystem.closeAllForUGI(taskUser)).doesNotThrowAnyException();

    assertThat(used()).as("used").isZero();
    assertThatThrownBy(out::close).hasMessageContaining("its file system was closed before");
  }

  /** Hive's writers are closed before their turn, which may never come. */
  @Test
  void keepsNothingOfClosedFilesThatNobodyMayTake() throws Exception {
    bucket.conf().set(CoreKeys.INLINE_MAX_BYTES.name(), "1000");
    PendingSession uploaded = parked("uploaded", MORE_THAN_A_PART);
    PendingSession small = parked("small", new byte[1]);
    PendingSession taken = parked("taken", new byte[1]);
    assertThat(taken.files()).hasSize(1);
    long used = used();

    FileSystem.closeAllForUGI(taskUser);

    assertThat(used()).as("used").isPositive().isLessThan(used);
    assertThat(bucket.store().pendingKeys()).isEmpty();
    for (PendingSession session : List.of(uploaded, small)) {
      assertThatThrownBy(session::files)
          .hasMessageContaining(
              "its file system was closed before the file was closed or committed");
    }
    assertThat(taken.files()).hasSize(1);
    taken.close();
    assertThat(used()).as("used").isZero();
  }

  @Test
  void keepsNothingEitherOfFilesThatAreClosedAfterTheirFileSystem() throws Exception {
    PendingSession session = session("late");
    try (FSDataOutputStream out = createIn(session, "t/late")) {
      out.write(MORE_THAN_A_PART);
    }
    FileSystem.closeAllForUGI(taskUser);
    session.park();
    assertThat(bucket.store().pendingKeys()).isEmpty();
    assertThat(used()).as("used").isZero();
  }

  /** It asks Hadoop's cache for S3A's file system, and that cache is locked while it closes all. */
  @Test
  @Timeout(300)
  void isNotWaitedForByTheCloseWhileAWriterOpensItsStore() throws Exception {
    CountDownLatch opening = new CountDownLatch(1);
    CountDownLatch closed = new CountDownLatch(1);
    PendingSession session =
        session(
            "slow",
            path -> {
              opening.countDown();
              try {
                closed.await();
              } catch (InterruptedException e) {
                throw new IOException(e);
              }
              return bucket.store();
            });
    FutureTask<FSDataOutputStream> creation = new FutureTask<>(() -> createIn(session, "t/f"));
    new Thread(creation).start();
    opening.await();

    FileSystem.closeAllForUGI(taskUser);

    closed.countDown();
    assertThatThrownBy(creation::get).hasMessageContaining("its file system was closed");
  }

  private long used() {
    return Buffering.memoryUsed() - usedBefore;
  }

  /** A file in a session of its own, as Hive makes one for each partition. */
  private FSDataOutputStream open(String key) throws IOException, InterruptedException {
    return createIn(session(UUID.randomUUID().toString()), key);
  }

  private PendingSession parked(String name, byte[] content) throws Exception {
    PendingSession session = session(name);
    try (FSDataOutputStream out = createIn(session, "t/" + name)) {
      out.write(content);
    }
    session.park();
    return session;
  }

  private PendingSession session(String name) throws IOException, InterruptedException {
    return session(name, bucket.store());
  }

  private PendingSession session(String name, ObjectStores stores)
      throws IOException, InterruptedException {
    return taskUser.doAs(
        (PrivilegedExceptionAction<PendingSession>)
            () -> bucket.open("attempt", name, bucket.inline(), stores));
  }

  private FSDataOutputStream createIn(PendingSession session, String key)
      throws IOException, InterruptedException {
    return taskUser.doAs(
        (PrivilegedExceptionAction<FSDataOutputStream>)
            () -> bucket.fileSystem(session).create(session.pathOf(path(key))));
  }
}
