package io.zerorename.core.parallel;

import static java.util.Objects.requireNonNull;

import java.lang.management.ManagementFactory;
import java.util.Collections;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import javax.management.InstanceAlreadyExistsException;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.MalformedObjectNameException;
import javax.management.NotCompliantMBeanException;
import javax.management.ObjectName;
import javax.management.StandardMBean;

/**
 * A limit that all users in this process share, such as of threads or of bytes. No user waits for
 * it: one that is refused goes on with less.
 *
 * <p>A process may have loaded this class several times (Hive's sessions have class loaders of
 * their own), so no static field counts for the process. What is taken is counted in a map that all
 * class loaders find by JMX. The map and its MBean are of Java's own classes, and refer to the
 * committer's only weakly: they do not keep a class loader in memory, and what a user has taken
 * that was dropped without its end is free again once the user has been collected.
 */
public final class ProcessShare {
  /** The name of threads that jobs have beside one of each. */
  public static final String THREADS = "threads";

  /** The name of bytes that files take on their way to S3. */
  public static final String UPLOAD_BUFFERS = "bytes of upload buffers";

  /** The name of bytes of plans that need not be read again. */
  public static final String PLANS_KEPT = "bytes of plans kept";

  /** The name of bytes of plans that are being written. */
  public static final String PLANS_UNDER_WAY = "bytes of plans under way";

  /** The name of bytes of small files that wait to be uploaded by commits. */
  public static final String SMALL_FILES = "bytes of small files";

  /** The limits of one name count together: what such an MBean holds must never change. */
  private static final String NAME = "io.zerorename:type=ProcessShare,name=";

  /** What each user has taken. It is also the lock. */
  private final Map<Object, Long> taken;

  private final long limit;

  private ProcessShare(Map<Object, Long> taken, long limit) {
    this.taken = requireNonNull(taken, "taken");
    this.limit = limit;
  }

  /**
   * A limit of this process.
   *
   * @param name of what is counted, the same for all class loaders
   * @param limit what all users may have taken together
   */
  public static ProcessShare of(String name, long limit) {
    try {
      return new ProcessShare(takenOf(mbean(name)), limit);
    } catch (JMException e) {
      throw new IllegalStateException("Cannot find out how many " + name + " there are", e);
    }
  }

  /**
   * The MBean of what was taken under a name: its operation {@code get} returns a map of amounts,
   * which is also its lock.
   */
  public static ObjectName mbean(String name) throws MalformedObjectNameException {
    return new ObjectName(NAME + ObjectName.quote(name));
  }

  @SuppressWarnings("unchecked")
  private static Map<Object, Long> takenOf(ObjectName name) throws JMException {
    MBeanServer server = ManagementFactory.getPlatformMBeanServer();
    if (!server.isRegistered(name)) {
      try {
        server.registerMBean(holderOf(Collections.synchronizedMap(new WeakHashMap<>())), name);
      } catch (InstanceAlreadyExistsException e) {
        // By another thread or class loader: its map counts.
        return takenOf(name);
      }
    }
    return (Map<Object, Long>) server.invoke(name, "get", new Object[0], new String[0]);
  }

  /**
   * An MBean that gives out the map: by an operation, so that no monitoring reads it as a value.
   */
  @SuppressWarnings("rawtypes")
  private static StandardMBean holderOf(Map<Object, Long> taken) throws NotCompliantMBeanException {
    return new StandardMBean((Future) CompletableFuture.completedFuture(taken), Future.class);
  }

  /** A user, which has taken nothing yet. */
  public User user() {
    return new User();
  }

  private long used() {
    return taken.values().stream().mapToLong(Long::longValue).sum();
  }

  /** One that takes and gives back. Several threads may use it. */
  public final class User {
    private User() {}

    /** Returns false, and takes nothing, where less than that is left. */
    public boolean tryTake(long amount) {
      return tryTake(amount, limit);
    }

    /** The same with a limit of the caller's. */
    public boolean tryTake(long amount, long limit) {
      synchronized (taken) {
        if (used() + amount > limit) {
          return false;
        }
        taken.merge(this, amount, Long::sum);
        return true;
      }
    }

    /** Gives back some of what was taken. */
    public void giveBack(long amount) {
      synchronized (taken) {
        long rest = taken.getOrDefault(this, 0L) - amount;
        if (rest < 0) {
          throw new IllegalStateException("more was given back than taken");
        }
        if (rest == 0) {
          taken.remove(this);
        } else {
          taken.put(this, rest);
        }
      }
    }

    /** Gives back all that was taken. */
    public void giveBackAll() {
      taken.remove(this);
    }
  }
}
