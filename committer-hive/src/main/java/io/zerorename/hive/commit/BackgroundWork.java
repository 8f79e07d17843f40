package io.zerorename.hive.commit;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.security.PrivilegedExceptionAction;
import java.time.Duration;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.util.ShutdownHookManager;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Work for which no statement waits, in a daemon thread of its own. Of one name and user there is
 * one at most in this process, and none begins within a minute after the one before. A user without
 * the rights for it so does not keep it from one who has them. Where the process exits meanwhile,
 * as {@code hive -e} does after its statement, the work may go on for a bounded time.
 */
final class BackgroundWork implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(BackgroundWork.class);
  private static final Duration PAUSE = Duration.ofMinutes(1);

  /** How long an exit waits for work that another process would do as well. */
  static final Duration BRIEFLY = Duration.ofSeconds(60);

  /** Before the hook that closes file systems. */
  private static final int PRIORITY = FileSystem.SHUTDOWN_HOOK_PRIORITY + 40;

  /** When each work of a user has ended, by {@link System#nanoTime}; empty while it runs. */
  static final Map<String, OptionalLong> ENDED = new ConcurrentHashMap<>();

  /** When the first of them was waited for at the exit of the process; 0 before that. */
  private static final AtomicLong EXIT = new AtomicLong();

  private final String name;
  private final String key;
  private final UserGroupInformation user;
  private final Duration longestExit;
  private final Work work;
  private final Thread thread = new Thread(this, "zerorename-background");
  private final Runnable atExit = this::awaitAtExit;

  private BackgroundWork(String name, Duration longestExit, Work work) throws IOException {
    this.name = name;
    this.user = own(UserGroupInformation.getCurrentUser());
    this.key = name + " as " + user.getShortUserName();
    this.longestExit = requireNonNull(longestExit, "longestExit");
    this.work = requireNonNull(work, "work");
  }

  /** What is to be done, as the user of the thread that has begun it. */
  @FunctionalInterface
  interface Work {
    void run() throws Exception;
  }

  /**
   * Begins, unless it is under way or has just been.
   *
   * @param name of the work
   * @param longestExit how long the exit of the process waits for it
   */
  static void begin(String name, Duration longestExit, Work work) {
    try {
      new BackgroundWork(name, longestExit, work).begin();
    } catch (IOException | IllegalStateException | OutOfMemoryError e) {
      // The user is not known, the process exits, or there is no thread.
      LOG.info("Could not start the background task '{}'; a later statement tries again", name, e);
    }
  }

  private void begin() {
    // Of works that can begin again nothing need be known.
    ENDED.values().removeIf(BackgroundWork::isOver);
    if (ENDED.putIfAbsent(key, OptionalLong.empty()) != null) {
      LOG.debug("{} is under way, or has just been", name);
      return;
    }
    boolean started = false;
    try {
      start();
      started = true;
    } finally {
      if (!started) {
        ENDED.remove(key);
      }
    }
  }

  private static boolean isOver(OptionalLong ended) {
    return ended.isPresent() && System.nanoTime() - ended.getAsLong() > PAUSE.toNanos();
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

  private void start() {
    ShutdownHookManager.get()
        .addShutdownHook(
            atExit, PRIORITY, longestExit.plusSeconds(10).toMillis(), TimeUnit.MILLISECONDS);
    thread.setDaemon(true);
    boolean started = false;
    try {
      thread.start();
      started = true;
    } finally {
      if (!started) {
        removeHook();
      }
    }
  }

  @Override
  public void run() {
    try {
      user.doAs(
          (PrivilegedExceptionAction<Void>)
              () -> {
                work.run();
                return null;
              });
    } catch (Throwable e) {
      // No thread waits for it that could report this.
      LOG.warn("ZR-5203: {} failed; a later statement begins it again", name, e);
    } finally {
      end();
    }
  }

  private void end() {
    try {
      if (!user.equals(UserGroupInformation.getLoginUser())) {
        FileSystem.closeAllForUGI(user);
      }
    } catch (IOException e) {
      LOG.info("Cannot close the file systems of {}", name, e);
    } finally {
      ENDED.put(key, OptionalLong.of(System.nanoTime()));
      removeHook();
    }
  }

  private void removeHook() {
    if (!ShutdownHookManager.get().isShutdownInProgress()) {
      try {
        ShutdownHookManager.get().removeShutdownHook(atExit);
      } catch (IllegalStateException e) {
        LOG.debug("The process exits", e);
      }
    }
  }

  private void awaitAtExit() {
    long now = System.nanoTime();
    EXIT.compareAndSet(0, now);
    try {
      long left = EXIT.get() + longestExit.toNanos() - now;
      thread.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(left)));
      if (thread.isAlive()) {
        LOG.warn(
            "ZR-5204: {} is not complete at the exit of the process; a later one resumes it", name);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
