package io.zerorename.hive.commit;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.security.PrivilegedExceptionAction;
import java.time.Duration;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hive.ql.session.SessionState;
import org.apache.hadoop.security.UserGroupInformation;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Work behind a statement, in a daemon thread of its own, for which no client of HiveServer2 waits.
 * In a process that is no HiveServer2 the statement waits: {@code hive -e} exits after it. Of one
 * name and user there is one at most in this process, and none begins within a minute after the one
 * before. A user without the rights for it so does not keep it from one who has them.
 */
final class BackgroundWork implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(BackgroundWork.class);
  private static final Duration PAUSE = Duration.ofMinutes(1);

  /** When each work of a user has ended, by {@link System#nanoTime}; empty while it runs. */
  static final Map<String, OptionalLong> ENDED = new ConcurrentHashMap<>();

  private final String name;
  private final String key;
  private final UserGroupInformation user;
  private final Work work;
  private final Thread thread = new Thread(this, "zerorename-background");

  private BackgroundWork(String name, Work work) throws IOException {
    this.name = name;
    this.user = own(UserGroupInformation.getCurrentUser());
    this.key = name + " as " + user.getShortUserName();
    this.work = requireNonNull(work, "work");
  }

  /** What is to be done, as the user of the thread that has begun it. */
  @FunctionalInterface
  interface Work {
    void run() throws Exception;
  }

  /** Begins, unless it is under way or has just been. */
  static void begin(String name, Work work) {
    try {
      BackgroundWork background = new BackgroundWork(name, work);
      if (background.hasBegun() && !isInHiveServer()) {
        background.thread.join();
      }
    } catch (IOException | OutOfMemoryError e) {
      // The user is not known, or there is no thread.
      LOG.info("Could not start the background task '{}'; a later statement tries again", name, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Whether statements of this thread come from clients that do not end the process. */
  static boolean isInHiveServer() {
    return SessionState.get() == null || SessionState.get().isHiveServerQuery();
  }

  private boolean hasBegun() {
    // Of works that can begin again nothing need be known.
    ENDED.values().removeIf(BackgroundWork::isOver);
    if (ENDED.putIfAbsent(key, OptionalLong.empty()) != null) {
      LOG.debug("{} is under way, or has just been", name);
      return false;
    }
    boolean started = false;
    try {
      thread.setDaemon(true);
      thread.start();
      started = true;
    } finally {
      if (!started) {
        ENDED.remove(key);
      }
    }
    return true;
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
    }
  }
}
