package io.zerorename.hiveserver2;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.testing.process.Await;
import io.zerorename.testing.s3server.FaultRule;
import io.zerorename.testing.s3server.HeldRequests;
import io.zerorename.testing.s3server.RequestType;
import java.io.Closeable;
import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.hive.jdbc.HiveStatement;

/** Many sessions of one HiveServer2, in which statements run at once. */
final class Crowd implements Closeable {
  private final HiveServer2Process hive;
  private final List<Session> sessions = new ArrayList<>();
  private final ExecutorService threads = Executors.newCachedThreadPool();

  private int begun;

  private Crowd(HiveServer2Process hive) {
    this.hive = hive;
  }

  /** Opens the sessions at once. */
  static Crowd open(HiveServer2Process hive, int size) throws Exception {
    Crowd crowd = new Crowd(hive);
    List<Future<Session>> opened = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      opened.add(crowd.threads.submit(() -> session(hive)));
    }
    for (Future<Session> session : opened) {
      crowd.sessions.add(session.get());
    }
    return crowd;
  }

  private static Session session(HiveServer2Process hive) throws SQLException {
    Session session = hive.open();
    // A task less for each statement.
    session.execute("set hive.stats.column.autogather=false");
    return session;
  }

  /**
   * Begins statements one after the other, and lets their commits go on together when all have
   * begun.
   *
   * <p>Their tasks run in this process, where Hive cannot run those of several statements at once:
   * the map tasks of a process share static fields ({@code ExecMapper.done} in MapReduce, {@code
   * IOContextMap} in Tez), and would lose rows or fail.
   *
   * @param besides what holds requests of the commits
   * @return the committer's lines of each, once it has ended
   */
  List<Future<List<String>>> commitTogether(List<String> statements, FaultRule besides)
      throws Exception {
    HeldRequests first =
        new HeldRequests(
            1,
            request ->
                request.type() == RequestType.LIST_OBJECTS_V2
                    && request.prefix().orElse("").contains("_zerorename/"));
    hive.gateway().faults(first.or(besides));
    List<Future<List<String>>> running = new ArrayList<>();
    for (String sql : statements) {
      Future<List<String>> statement = begin(sql);
      running.add(statement);
      Await.until(
          "a commit begins: " + sql, () -> first.seen() >= running.size() || failed(statement));
    }
    first.pass();
    return running;
  }

  /** In the next session. */
  private Future<List<String>> begin(String sql) {
    Session session = sessions.get(begun++ % sessions.size());
    return threads.submit(() -> run(session, sql));
  }

  private static boolean failed(Future<List<String>> statement) throws Exception {
    if (statement.isDone()) {
      throw new AssertionError("it has ended without a commit: " + statement.get());
    }
    return false;
  }

  private static List<String> run(Session session, String sql) throws SQLException {
    try (HiveStatement statement = session.statement()) {
      statement.executeAsync(sql);
      // Returns when the statement has ended, and throws if it has failed.
      statement.getUpdateCount();
      return Session.ours(Session.log(statement));
    }
  }

  /** Waits until all have ended, each with a commit. */
  static void assertCommitted(List<Future<List<String>>> running) throws Exception {
    for (Future<List<String>> statement : running) {
      // A line may follow that others' files were there first.
      assertThat(statement.get(Await.LIMIT.toMillis(), TimeUnit.MILLISECONDS))
          .filteredOn(line -> line.contains("zero-rename: committed"))
          .hasSize(1);
    }
  }

  Session any() {
    return sessions.get(0);
  }

  @Override
  public void close() throws IOException {
    threads.shutdownNow();
    for (Session session : sessions) {
      session.close();
    }
  }
}
