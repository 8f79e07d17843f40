package io.zerorename.hive.commit;

import java.io.IOException;
import java.security.PrivilegedExceptionAction;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.util.ShutdownHookManager;
import org.apache.hadoop.util.functional.InvocationRaisingIOE;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Work for which no statement waits, in a daemon thread of its own. Of one name and user there is
 * one at most in this process, and none begins within a minute after the one before. A user without
 * the rights for it so does not keep it from one who has them. Where the process exits meanwhile,
 * as {@code hive -e} does after its statement, the work may go on for a bounded time.
 */
final class BackgroundWork {
  private static final Logger LOG = LoggerFactory.getLogger(BackgroundWork.class);
  private static final Duration PAUSE = Duration.ofMinutes(1);

  /** How long an exit waits; a later statement or process does the rest. */
  private static final Duration AT_MOST = Duration.ofMinutes(1);

  /** By name and user, the work that runs or has ended within the pause. */
  static final Map<String, BackgroundWork> BEGUN = new ConcurrentHashMap<>();

  /** One object, so that Hadoop keeps one hook however often it is added. */
  private static final Runnable AT_EXIT = BackgroundWork::awaitAll;

  private final String name;
  private final UserGroupInformation user;
  private final InvocationRaisingIOE work;
  private final Thread thread = new Thread(this::run, "zerorename-background");

  /** By {@link System#nanoTime}; null until then. */
  private volatile Long end;

  private BackgroundWork(String name, UserGroupInformation user, InvocationRaisingIOE work) {
    this.name = name;
    this.user = user;
    this.work = work;
    thread.setDaemon(true);
  }

  /** Begins, as the user of this thread, unless it is under way or has just been. */
  static void begin(String name, InvocationRaisingIOE work) {
    try {
      UserGroupInformation user = own(UserGroupInformation.getCurrentUser());
      // Before the hook that closes file systems; refused where the process exits.
      ShutdownHookManager.get()
          .addShutdownHook(
              AT_EXIT,
              FileSystem.SHUTDOWN_HOOK_PRIORITY + 40,
              AT_MOST.plusSeconds(10).toMillis(),
              TimeUnit.MILLISECONDS);
      BEGUN.values().removeIf(BackgroundWork::mayBeginAgain);
      BEGUN.computeIfAbsent(
          name + " as " + user.getShortUserName(),
          key -> {
            BackgroundWork begun = new BackgroundWork(name, user, work);
            begun.thread.start();
            return begun;
          });
    } catch (IOException | IllegalStateException | OutOfMemoryError e) {
      // The user is not known, the process exits, or there is no thread.
      LOG.info("Could not start the background task '{}'; a later statement tries again", name, e);
    }
  }

  boolean hasEnded() {
    return end != null;
  }

  private boolean mayBeginAgain() {
    return hasEnded() && System.nanoTime() - end > PAUSE.toNanos();
  }

  /**
   * The same user, whose file systems stay open when those of the session are closed: Hadoop closes
   * them by user.
   */
  private static UserGroupInformation own(UserGroupInformation session) throws IOException {
    if (session.equals(UserGroupInformation.getLoginUser())) {
      return session;
    }
    UserGroupInformation own =
        session.getRealUser() == null
            ? UserGroupInformation.createRemoteUser(session.getUserName())
            : UserGroupInformation.createProxyUser(session.getUserName(), session.getRealUser());
    own.addCredentials(session.getCredentials());
    return own;
  }

  private void run() {
    try {
      try {
        user.doAs(
            (PrivilegedExceptionAction<Void>)
                () -> {
                  work.apply();
                  return null;
                });
      } finally {
        if (!user.equals(UserGroupInformation.getLoginUser())) {
          FileSystem.closeAllForUGI(user);
        }
      }
    } catch (Throwable e) {
      // No thread waits for it that could report this.
      LOG.warn("ZR-5203: {} failed; a later statement begins it again", name, e);
    } finally {
      end = System.nanoTime();
    }
  }

  private static void awaitAll() {
    long exit = System.nanoTime();
    try {
      for (BackgroundWork begun : BEGUN.values()) {
        long left = exit + AT_MOST.toNanos() - System.nanoTime();
        begun.thread.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(left)));
        if (begun.thread.isAlive()) {
          LOG.warn(
              "ZR-5204: {} is not complete at the exit of the process; a later one resumes it",
              begun.name);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
