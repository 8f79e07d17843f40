package io.zerorename.core.parallel;

import java.util.Map;
import java.util.WeakHashMap;

/**
 * A limit that all users in this process share, such as of threads or of bytes. No user waits for
 * it: one that is refused goes on with less.
 *
 * <p>Where a process has loaded this class several times, each class loader has limits of its own.
 */
public final class ProcessShare {
  /** Threads that jobs have beside one of each. Each user brings the limit. */
  public static final ProcessShare THREADS = new ProcessShare(Long.MAX_VALUE);

  /** Bytes of small files that wait to be uploaded by commits. */
  public static final ProcessShare SMALL_FILES =
      new ProcessShare(Runtime.getRuntime().maxMemory() / 8);

  /** Also the lock. What a user has taken that was dropped is free once it has been collected. */
  private final Map<User, Long> taken = new WeakHashMap<>();

  private final long limit;

  /**
   * @param limit what all users may have taken together
   */
  ProcessShare(long limit) {
    this.limit = limit;
  }

  /** A user, which has taken nothing yet. */
  public User user() {
    return new User();
  }

  /** What all users have taken together. */
  public long used() {
    synchronized (taken) {
      return taken.values().stream().mapToLong(Long::longValue).sum();
    }
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
    void giveBack(long amount) {
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
      synchronized (taken) {
        taken.remove(this);
      }
    }
  }
}
