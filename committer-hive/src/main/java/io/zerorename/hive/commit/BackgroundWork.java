package io.zerorename.hive.commit;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.security.PrivilegedExceptionAction;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.management.InstanceAlreadyExistsException;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import javax.management.StandardMBean;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.util.ShutdownHookManager;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Work for which no statement waits, in a daemon thread of its own. Of one name there is one at
 * most in this process, and none begins within a minute of the one before. Where the process exits
 * meanwhile, as {@code hive -e} does after its statement, the work may go on for a bounded time.
 *
 * <p>Each is an MBean, because sessions of HiveServer2 may have loaded this class several times and
 * all must see one list; an administrator sees it too.
 */
final class BackgroundWork {
  private static final Logger LOG = LoggerFactory.getLogger(BackgroundWork.class);
  private static final Duration TURN = Duration.ofMinutes(1);

  /** So long an exit waits for what another process does as well. */
  static final Duration BRIEFLY = Duration.ofSeconds(60);

  /** Before the hook that closes file systems. */
  private static final int PRIORITY = FileSystem.SHUTDOWN_HOOK_PRIORITY + 40;

  /** When the exit of the process began, for all hooks, whatever class loader theirs is from. */
  private static final String EXIT = "io.zerorename.exit.began";

  private final ObjectName name;
  private final UserGroupInformation user;
  private final FutureTask<Void> task;
  private final Duration longestExit;
  private final Runnable atExit = this::awaitAtExit;

  private BackgroundWork(
      ObjectName name, UserGroupInformation user, Duration longestExit, Work work) {
    this.name = requireNonNull(name, "name");
    this.user = requireNonNull(user, "user");
    this.longestExit = requireNonNull(longestExit, "longestExit");
    this.task =
        new FutureTask<>(
            () -> user.doAs((PrivilegedExceptionAction<Void>) () -> runAndReport(name, work)));
  }

  /** What is to be done, as the user of the thread that has begun it. */
  @FunctionalInterface
  interface Work {
    void run() throws Exception;
  }

  /** What JMX shows. */
  public interface WorkMBean {
    /** When it began. */
    String getBegan();

    /** Whether it is at work still. It is shown until it may begin again. */
    boolean isRunning();
  }

  private record Shown(Instant began, FutureTask<Void> task) implements WorkMBean {
    @Override
    public String getBegan() {
      return began.toString();
    }

    @Override
    public boolean isRunning() {
      return !task.isDone();
    }
  }

  /**
   * Begins, unless it is under way or has just been.
   *
   * @param name of the work
   * @param longestExit how long the exit of the process waits for it
   */
  static void begin(String name, Duration longestExit, Work work) {
    ObjectName registered = registered(name);
    BackgroundWork background;
    try {
      background =
          new BackgroundWork(
              registered, own(UserGroupInformation.getCurrentUser()), longestExit, work);
      server()
          .registerMBean(
              new StandardMBean(new Shown(Instant.now(), background.task), WorkMBean.class),
              registered);
    } catch (IOException e) {
      LOG.warn("There can be no {}, because the user is not known", name, e);
      return;
    } catch (InstanceAlreadyExistsException e) {
      LOG.debug("{} is under way, or has just been", name);
      return;
    } catch (JMException e) {
      throw new IllegalStateException("Cannot register " + name, e);
    }
    boolean started = false;
    try {
      background.start();
      started = true;
    } catch (IOException | IllegalStateException | OutOfMemoryError e) {
      // An exit that has begun, or no thread.
      LOG.info("There can be no {} now", name, e);
    } finally {
      if (!started) {
        unregister(registered);
      }
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

  private void start() throws IOException {
    boolean isOwn = !user.equals(UserGroupInformation.getLoginUser());
    Thread thread =
        new Thread(
            () -> {
              try {
                task.run();
              } finally {
                end(isOwn);
              }
            },
            "zerorename-background");
    thread.setDaemon(true);
    ShutdownHookManager.get()
        .addShutdownHook(
            atExit, PRIORITY, longestExit.plusSeconds(10).toMillis(), TimeUnit.MILLISECONDS);
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

  private static Void runAndReport(ObjectName name, Work work) {
    try {
      work.run();
    } catch (Throwable e) {
      // No thread waits for it that could report this.
      LOG.warn("{} has ended before its time", name, e);
    }
    return null;
  }

  /** Lets the rest of the minute pass, so that not every statement begins it again. */
  private void end(boolean closesFileSystems) {
    removeHook();
    try {
      if (closesFileSystems) {
        FileSystem.closeAllForUGI(user);
      }
      Thread.sleep(TURN.toMillis());
    } catch (IOException e) {
      LOG.info("Cannot close the file systems of {}", name, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      unregister(name);
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
      task.get(Math.max(0, began + longestExit.toMillis() - now), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      LOG.warn("{} is cut off by the exit of the process; another process resumes it", name);
    } catch (ExecutionException e) {
      LOG.warn("{} has failed", name, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static MBeanServer server() {
    return ManagementFactory.getPlatformMBeanServer();
  }

  private static ObjectName registered(String name) {
    try {
      return new ObjectName("io.zerorename:type=Background,work=" + ObjectName.quote(name));
    } catch (JMException e) {
      throw new IllegalArgumentException("\"" + name + "\" is no name", e);
    }
  }

  private static void unregister(ObjectName name) {
    try {
      server().unregisterMBean(name);
    } catch (JMException e) {
      LOG.debug("{} was unregistered before", name, e);
    }
  }
}
