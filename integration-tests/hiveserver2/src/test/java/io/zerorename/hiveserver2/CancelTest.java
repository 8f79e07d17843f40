package io.zerorename.hiveserver2;

import static io.zerorename.testing.s3server.FaultRule.typeUnder;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.config.CoreKeys;
import io.zerorename.testing.process.Await;
import io.zerorename.testing.s3server.FaultRule;
import io.zerorename.testing.s3server.HeldRequests;
import io.zerorename.testing.s3server.RequestType;
import io.zerorename.testing.s3server.S3Request;
import java.io.IOException;
import java.sql.SQLException;
import java.util.SortedMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.apache.hive.jdbc.HiveStatement;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A user cancels an INSERT from another thread, at a point that a held request makes exact. Either
 * nothing of it is visible and no upload is left, or it is committed whole.
 */
class CancelTest {
  private final HiveServer2OnS3 s3 = HiveServer2OnS3.shared();
  private final ExecutorService threads = Executors.newSingleThreadExecutor();
  private Session session;

  @BeforeEach
  void open() throws SQLException {
    session = s3.process().open();
    session.execute("set " + CoreKeys.INLINE_MAX_BYTES.name() + "=0");
    // Else the client has nothing to cancel until the statement is compiled.
    session.execute("set hive.server2.async.exec.async.compile=true");
  }

  @AfterEach
  void close() throws IOException {
    s3.process().gateway().faults(FaultRule.NONE);
    threads.shutdownNow();
    session.close();
  }

  @Test
  void whileItsTasksRun() throws Exception {
    Tables.createFilled(session, "cancel_tasks");
    SortedMap<String, Long> before = s3.bucket().objects("cancel_tasks/");

    cancelAt("cancel_tasks", typeUnder(RequestType.UPLOAD_PART, "cancel_tasks/p=2/"));

    awaitLogged("INSERT OVERWRITE of default.cancel_tasks was not committed");
    // A task that was held aborts its upload when its request returns, and Hive deletes its empty
    // staging directory after it has called the last hook.
    Await.until("no upload is pending", () -> s3.bucket().pendingUploads("").isEmpty());
    Await.until(
        "no staging directory is left", () -> s3.bucket().objects("cancel_tasks/").equals(before));
  }

  @Test
  void afterItsCommitIsDecided() throws Exception {
    Tables.createFilled(session, "cancel_decided");

    cancelAt("cancel_decided", typeUnder(RequestType.COMPLETE_MULTIPART_UPLOAD, "cancel_decided/"));

    awaitLogged("default.cancel_decided failed after its data was committed");
    assertThat(s3.bucket().pendingUploads("")).isEmpty();
    session.execute("set " + CoreKeys.RECOVERY_PATIENCE.name() + "=0");
    session.execute("insert into cancel_decided partition (p) values (7, 4)");
    // In the background, so that its client is not told.
    awaitLogged("zero-rename: INSERT OVERWRITE of default.cancel_decided was committed as entry ");
    assertThat(session.sortedRows("select * from cancel_decided"))
        .containsExactly("10\t1", "20\t2", "30\t3", "7\t4");
  }

  private void awaitLogged(String text) throws Exception {
    Await.until(text, () -> s3.process().log().stream().anyMatch(line -> line.contains(text)));
  }

  private void cancelAt(String table, Predicate<S3Request> point) throws Exception {
    HeldRequests held = new HeldRequests(1, point);
    s3.process().gateway().faults(held);
    // Closed with its session: to close it earlier interrupts the end of the statement once more.
    HiveStatement statement = session.statement();
    Future<?> running = threads.submit(() -> statement.execute(Tables.overwrite(table)));
    held.awaitFirst();
    statement.cancel();
    held.pass();
    assertThatThrownBy(() -> running.get(5, TimeUnit.MINUTES))
        .hasCauseInstanceOf(SQLException.class);
  }
}
