package io.zerorename.core.parallel;

import io.zerorename.core.store.Failures;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.Collection;
import java.util.concurrent.Phaser;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.util.functional.ConsumerRaisingIOE;
import org.apache.hadoop.util.functional.RemoteIterators;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs an action on many items with a bounded number of threads, which start as there are items for
 * them, end with the work, and begin no further item after the first failure. All workers of the
 * process share a bounded number of threads beside one for each run: while none is left, the
 * threads of a run act on all items.
 *
 * <p>Each run has threads of its own: one that is used again would act as the user for whom it was
 * started, and keep that one's class loader.
 */
public final class Workers {
  private static final Logger LOG = LoggerFactory.getLogger(Workers.class);

  /** Threads that all workers of the process have now, beside one of each run. */
  private static final AtomicInteger FURTHER = new AtomicInteger();

  private final int threads;
  private final int ofProcess;
  private final AtomicInteger further;
  private final ThreadFactory factory;

  /**
   * @param ofProcess further threads that all workers of the process may have together
   */
  public Workers(int threads, int ofProcess) {
    this(threads, ofProcess, FURTHER, Thread::new);
  }

  Workers(int threads, int ofProcess, AtomicInteger further, ThreadFactory factory) {
    this.threads = threads;
    this.ofProcess = ofProcess;
    this.further = further;
    this.factory = factory;
  }

  /** How many threads all workers of the process have now, beside one of each run. */
  public static int furtherThreads() {
    return FURTHER.get();
  }

  /**
   * Acts on every item, and returns when all actions have ended. Begins no further one after a
   * failure; throws the first, with the others suppressed in it.
   *
   * @throws InterruptedIOException where the calling thread was interrupted; the flag is set again
   */
  public <T> void forEach(Collection<T> items, ConsumerRaisingIOE<T> action) throws IOException {
    if (!items.isEmpty()) {
      forEach(RemoteIterators.remoteIteratorFromIterable(items), items.size(), action);
    }
  }

  /**
   * Like {@link #forEach(Collection, ConsumerRaisingIOE)}, for items that come as they are asked
   * for.
   *
   * @param count how many there are, which limits nothing but the threads
   */
  public <T> void forEach(RemoteIterator<T> items, int count, ConsumerRaisingIOE<T> action)
      throws IOException {
    new Run<>(items, Math.max(1, Math.min(threads, count)), 2, action).await();
  }

  /** The same, where the number of items is unknown. */
  public <T> void forEach(RemoteIterator<T> items, ConsumerRaisingIOE<T> action)
      throws IOException {
    new Run<>(items, threads, 1, action).await();
  }

  /**
   * One pass over items. A thread that takes an item which is not the last starts further ones: two
   * where there are surely items for them, because one after the other hundreds start too slowly.
   */
  private final class Run<T> {
    private final RemoteIterator<T> rest;
    private final int startedAtOnce;
    private final ConsumerRaisingIOE<T> action;
    private final Failures failures = new Failures();

    /** Each thread is registered before the one that starts it arrives. */
    private final Phaser running = new Phaser();

    private final AtomicInteger number = new AtomicInteger();
    private volatile boolean stopped;

    /** A failure that no action declares. */
    private volatile Throwable unexpected;

    /** How many threads may yet start; guarded by {@code rest}. */
    private int spare;

    /**
     * @param startedAtOnce how many threads one that has taken an item starts
     */
    Run(RemoteIterator<T> rest, int most, int startedAtOnce, ConsumerRaisingIOE<T> action) {
      this.rest = rest;
      this.startedAtOnce = startedAtOnce;
      this.action = action;
      this.spare = most - 1;
    }

    void await() throws IOException {
      if (!start(() -> {})) {
        spare = 0;
        act(() -> {});
      }
      boolean interrupted = false;
      while (!running.isTerminated()) {
        try {
          running.awaitAdvanceInterruptibly(0);
        } catch (InterruptedException e) {
          // What is under way has to end before anybody may act on the outcome.
          interrupted = true;
          stopped = true;
        }
      }
      if (unexpected != null) {
        failures.add(new IOException("Unexpected: " + unexpected, unexpected));
      }
      if (interrupted) {
        Thread.currentThread().interrupt();
        InterruptedIOException e = new InterruptedIOException("Interrupted (query cancelled?)");
        failures.first().ifPresent(e::addSuppressed);
        throw e;
      }
      failures.throwAny();
    }

    /**
     * @param atEnd of the thread
     * @return false where the system has no thread left: a commit goes on with those that it has
     */
    private boolean start(Runnable atEnd) {
      running.register();
      boolean begun = false;
      try {
        Thread thread = factory.newThread(() -> act(atEnd));
        thread.setName("zerorename-commit-" + number.incrementAndGet());
        thread.setDaemon(true);
        thread.start();
        begun = true;
      } catch (OutOfMemoryError e) {
        LOG.info("No further thread can be started, so that fewer than {} are at work", threads, e);
      } finally {
        if (!begun) {
          leave(atEnd);
        }
      }
      return begun;
    }

    private void leave(Runnable atEnd) {
      atEnd.run();
      running.arriveAndDeregister();
    }

    private void act(Runnable atEnd) {
      try {
        for (T item = next(); item != null; item = next()) {
          action.accept(item);
        }
      } catch (IOException e) {
        stopped = true;
        failures.add(e);
      } catch (RuntimeException | Error e) {
        // The heap may be full: nothing is made of it here.
        unexpected = e;
        stopped = true;
      } finally {
        leave(atEnd);
      }
    }

    /** Null at the end. */
    private T next() throws IOException {
      synchronized (rest) {
        if (stopped || !rest.hasNext()) {
          return null;
        }
        T item = rest.next();
        for (int i = 0; i < startedAtOnce && spare > 0 && rest.hasNext(); i++) {
          if (further.getAndUpdate(it -> it < ofProcess ? it + 1 : it) < ofProcess) {
            spare = start(further::decrementAndGet) ? spare - 1 : 0;
          }
        }
        return item;
      }
    }
  }
}
