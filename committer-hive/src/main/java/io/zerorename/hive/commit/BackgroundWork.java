package io.zerorename.hive.commit;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.security.PrivilegedExceptionAction;
import java.time.Duration;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
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
 *
 * <p>The state is in system properties, because sessions of HiveServer2 may have loaded this class
 * several times.
 */
final class BackgroundWork implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(BackgroundWork.class);
  private static final Duration PAUSE = Duration.ofMinutes(1);

  /** How long an exit waits for work that another process would do as well. */
  static final Duration BRIEFLY = Duration.ofSeconds(60);

  /** Before the hook that closes file systems. */
  private static final int PRIORITY = FileSystem.SHUTDOWN_HOOK_PRIORITY + 40;

  /** When the exit of the process began, in milliseconds. */
  private static final String EXIT = "io.zerorename.exit.began";

  /**
   * Before the name of a work and its user: {@link #RUNNING}, or when it has ended, in
   * milliseconds.
   */
  private static final String STATE = "io.zerorename.background.";

  private static final String RUNNING = "running";

  private final String name;
  private final String state;
  private final UserGroupInformation user;
  private final Duration longestExit;
  private final Work work;
  private final Thread thread = new Thread(this, "zerorename-background");
  private final Runnable atExit = this::awaitAtExit;

  private BackgroundWork(String name, Duration longestExit, Work work) throws IOException {
    this.name = name;
    this.user = own(UserGroupInformation.getCurrentUser());
    this.state = STATE + name + " as " + user.getShortUserName();
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
    if (!claim(state)) {
      LOG.debug("{} is under way, or has just been", name);
      return;
    }
    boolean started = false;
    try {
      start();
      started = true;
    } finally {
      if (!started) {
        System.clearProperty(state);
      }
    }
  }

  private static boolean claim(String state) {
    Properties states = System.getProperties();
    synchronized (states) {
      long now = System.currentTimeMillis();
      states
          .entrySet()
          .removeIf(
              it ->
                  it.getKey().toString().startsWith(STATE)
                      && !it.getValue().equals(RUNNING)
                      // Also where the clock was set back since.
                      && Math.abs(now - Long.parseLong(it.getValue().toString()))
                          > PAUSE.toMillis());
      return states.putIfAbsent(state, RUNNING) == null;
    }
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
      System.setProperty(state, Long.toString(System.currentTimeMillis()));
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
    long now = System.currentTimeMillis();
    Object first = System.getProperties().putIfAbsent(EXIT, Long.toString(now));
    long began = first == null ? now : Long.parseLong(first.toString());
    try {
      thread.join(Math.max(1, began + longestExit.toMillis() - now));
      if (thread.isAlive()) {
        LOG.warn(
            "ZR-5204: {} is not complete at the exit of the process; a later one resumes it", name);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
