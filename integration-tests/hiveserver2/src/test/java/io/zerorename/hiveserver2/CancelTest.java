package io.zerorename.hiveserver2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.config.CoreKeys;
import io.zerorename.testing.process.Await;
import io.zerorename.testing.s3server.FaultRule;
import io.zerorename.testing.s3server.HeldRequests;
import io.zerorename.testing.s3server.RequestCounts;
import io.zerorename.testing.s3server.RequestType;
import io.zerorename.testing.s3server.S3Request;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.SortedMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.apache.hive.jdbc.HiveStatement;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
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

  @Tag("thorough")
  @Test
  void whileItIsCompiled() throws Exception {
    SortedMap<String, Long> before = filled("cancel_compile");

    endAt(
        "cancel_compile",
        // The committer asks for nothing then, where the store was tried out before.
        request ->
            request.prefix().orElse(request.key()).startsWith("cancel_compile/.hive-staging"),
        LifetimeProbe.line("afterCompile", false, Tables.overwrite("cancel_compile")),
        HiveStatement::cancel);

    // Hive's cancelling thread removes the staging directory, and the one that compiles then makes
    // it; it stays, empty, until HiveServer2 ends.
    SortedMap<String, Long> after = objects("cancel_compile");
    after.keySet().removeIf(key -> key.matches(".*/\\.hive-staging[^/]*/"));
    assertThat(after).isEqualTo(before);
    assertNoUploads();
  }

  @Test
  void whileItsTasksRun() throws Exception {
    SortedMap<String, Long> before = filled("cancel_tasks");

    cancelAt(
        "cancel_tasks",
        request ->
            request.type() == RequestType.UPLOAD_PART
                && request.key().startsWith("cancel_tasks/p=2/"));

    assertObjects("cancel_tasks", before);
    assertNoUploads();
    assertThat(log("INSERT OVERWRITE of default.cancel_tasks was not committed")).isNotEmpty();
  }

  @Tag("thorough")
  @Test
  void whileItsMergedFilesAreUploaded() throws Exception {
    SortedMap<String, Long> before = filled("cancel_merged");
    session.execute("set hive.merge.tezfiles=true");
    session.execute("set zerorename.hive.merge=commit");
    session.execute("set zerorename.commit.threads=1");

    RequestCounts counts = s3.process().gateway().counts();

    cancelAt(
        "cancel_merged",
        request ->
            request.type() == RequestType.UPLOAD_PART
                && request.key().startsWith("cancel_merged/"));

    counts = s3.process().gateway().counts().minus(counts);
    assertThat(counts.of(RequestType.CREATE_MULTIPART_UPLOAD)).as("of three files").isOne();
    assertObjects("cancel_merged", before);
    assertThat(s3.bucket().pendingUploads("cancel_merged/")).isEmpty();
    assertThat(log("INSERT OVERWRITE of default.cancel_merged: uploads 3 files")).isNotEmpty();
    assertThat(log("INSERT OVERWRITE of default.cancel_merged was not committed")).isNotEmpty();
    assertNothingIsStaged();
    assertThat(session.sortedRows("select * from cancel_merged"))
        .containsExactly("100\t1", "200\t2");
    session.execute(Tables.overwrite("cancel_merged"));
    assertThat(session.sortedRows("select * from cancel_merged"))
        .containsExactly("10\t1", "20\t2", "30\t3");
  }

  /** Neither merged files nor manifests are on the scratch file system. */
  private void assertNothingIsStaged() throws Exception {
    Await.until(
        "no output is left in the scratch directory",
        () -> {
          try (Stream<Path> all = Files.walk(s3.process().scratch())) {
            return all.noneMatch(path -> path.getFileName().toString().startsWith("-ext-"));
          } catch (UncheckedIOException e) {
            // A directory is being deleted.
            return false;
          }
        });
  }

  @Tag("thorough")
  @Test
  void beforeItsCommitIsDecided() throws Exception {
    SortedMap<String, Long> before = filled("cancel_plan");

    cancelAt("cancel_plan", request -> prefix(request).startsWith("cancel_plan/p="));

    assertObjects("cancel_plan", before);
    assertNoUploads();
    assertThat(log("INSERT OVERWRITE of default.cancel_plan was not committed")).isNotEmpty();
    assertThat(session.sortedRows("select * from cancel_plan")).containsExactly("100\t1", "200\t2");
  }

  @Test
  void afterItsCommitIsDecided() throws Exception {
    filled("cancel_decided");

    cancelAt("cancel_decided", request -> request.type() == RequestType.COMPLETE_MULTIPART_UPLOAD);

    assertNoUploads();
    assertThat(log("default.cancel_decided failed after its data was committed")).isNotEmpty();
    assertNextInsertCompletes("cancel_decided", session);
  }

  @Tag("thorough")
  @Test
  void sessionIsClosedAfterItsCommitIsDecided() throws Exception {
    filled("closed_decided");

    endAt(
        "closed_decided",
        request -> request.type() == RequestType.COMPLETE_MULTIPART_UPLOAD,
        failed("closed_decided"),
        statement -> statement.getConnection().close());

    assertNoUploads();
    try (Session next = s3.process().open()) {
      assertNextInsertCompletes("closed_decided", next);
    }
  }

  /** In the background, so that its client is not told. */
  private void assertNextInsertCompletes(String table, Session session) throws Exception {
    session.execute("set " + CoreKeys.RECOVERY_PATIENCE.name() + "=0");
    session.execute("insert into " + table + " partition (p) values (7, 4)");
    Await.until(
        "the statistics of " + table + " are marked as unknown, and its partitions added",
        () ->
            !log("zero-rename: INSERT OVERWRITE of default." + table + " was committed as entry ")
                .isEmpty());
    assertThat(session.sortedRows("select * from " + table))
        .containsExactly("10\t1", "20\t2", "30\t3", "7\t4");
  }

  private SortedMap<String, Long> filled(String table) throws SQLException {
    Tables.createFilled(session, table);
    return objects(table);
  }

  private SortedMap<String, Long> objects(String table) {
    return s3.bucket().objects(table + "/");
  }

  /** Hive deletes its empty staging directory after it has called the last hook. */
  private void assertObjects(String table, SortedMap<String, Long> expected) throws Exception {
    Await.until(
        "no staging directory is left in " + table,
        () -> objects(table).keySet().stream().noneMatch(key -> key.contains(".hive-staging")));
    assertThat(objects(table)).isEqualTo(expected);
  }

  private List<String> log(String text) throws IOException {
    return s3.process().log().stream().filter(line -> line.contains(text)).toList();
  }

  private static String prefix(S3Request request) {
    return request.prefix().orElse("");
  }

  /** Behind its compilation. */
  private void cancelAt(String table, Predicate<S3Request> point) throws Exception {
    endAt(table, point, failed(table), HiveStatement::cancel);
  }

  private static String failed(String table) {
    return LifetimeProbe.line("afterExecution", true, Tables.overwrite(table));
  }

  /** What a user does to a statement that runs. */
  @FunctionalInterface
  private interface End {
    void of(HiveStatement statement) throws SQLException;
  }

  /** Returns when Hive has called the hook for the last time. */
  private void endAt(String table, Predicate<S3Request> point, String lastCall, End end)
      throws Exception {
    HeldRequests held = new HeldRequests(1, point);
    s3.process().gateway().faults(held);
    int from = s3.process().output().size();
    // Closed with its session, which may be gone when the test has ended it.
    HiveStatement statement = session.statement();
    Future<?> running = threads.submit(() -> statement.execute(Tables.overwrite(table)));
    held.awaitFirst();
    end.of(statement);
    held.pass();
    assertThatThrownBy(() -> running.get(5, TimeUnit.MINUTES))
        .hasCauseInstanceOf(SQLException.class);
    s3.process().awaitOutput(from, lastCall);
  }

  /** A task that was held aborts its upload when its request returns. */
  private void assertNoUploads() throws Exception {
    Await.until("no upload is pending", () -> s3.bucket().pendingUploads("").isEmpty());
  }
}
