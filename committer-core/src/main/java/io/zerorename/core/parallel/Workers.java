package io.zerorename.core.parallel;

import io.zerorename.core.config.CoreKeys;
import io.zerorename.core.store.Failures;
import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.Collection;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.util.functional.RemoteIterators;

/**
 * Runs an action on many items with a bounded number of threads, which start as there are items for
 * them, and stops at the first failure. All workers of the process share a bounded number of
 * threads beside one for each of them: while none is left, the threads of a run act on all items.
 */
public final class Workers implements Closeable {
  /** Does something with one item. */
  @FunctionalInterface
  public interface Action<T> {
    void on(T item) throws IOException;
  }

  /** Up to so many threads end in less time than a request takes. */
  private static final int FEW = 16;

  private static final Duration LATER = Duration.ofSeconds(1);

  /** After which a thread without work ends by itself. */
  private static final Duration LONGEST_IDLE = Duration.ofMinutes(1);

  private final int threads;
  private final HandOffQueue queue = new HandOffQueue();
  private final ProcessShare share;
  private final ProcessShare.User further;
  private final AtomicInteger number = new AtomicInteger();
  private final ThreadPoolExecutor pool;

  /** Workers of a process with the default limit, to be closed by the caller. */
  Workers(int threads) {
    this(threads, CoreKeys.PROCESS_THREADS.from(new Configuration(false)));
  }

  /**
   * Workers, to be closed by the caller.
   *
   * @param ofProcess further threads that all workers of the process may have together
   */
  public Workers(int threads, int ofProcess) {
    this(threads, ProcessShare.of(ProcessShare.THREADS, ofProcess), LONGEST_IDLE);
  }

  /**
   * The same.
   *
   * @param share of threads beside one
   * @param longestIdle after which a thread without work ends by itself
   */
  Workers(int threads, ProcessShare share, Duration longestIdle) {
    this.threads = threads;
    this.share = share;
    this.further = share.user();
    this.pool =
        new ThreadPoolExecutor(
            0,
            threads,
            longestIdle.toMillis(),
            TimeUnit.MILLISECONDS,
            queue,
            this::thread,
            (task, pool) -> {
              if (pool.isShutdown()) {
                throw new RejectedExecutionException("closed");
              }
              queue.hold(task);
              // All threads may have ended since there was no room for another.
              if (pool.getPoolSize() == 0 && queue.remove(task)) {
                pool.execute(task);
              }
            });
  }

  /** Returns null where the process has too many: then the queue holds the task. */
  private Thread thread(Runnable task) {
    boolean first = pool.getPoolSize() == 0;
    if (!first && !further.tryTake(1)) {
      return null;
    }
    Runnable counted =
        () -> {
          try {
            task.run();
          } finally {
            if (!first) {
              further.giveBack(1);
            }
          }
        };
    Thread thread = new Thread(counted, "zerorename-commit-" + number.incrementAndGet());
    thread.setDaemon(true);
    return thread;
  }

  /** Tries to start a thread for a task that is held, because others may have ended since. */
  private void tryHeldAgain() {
    if (!queue.isEmpty() && share.hasRoom()) {
      Runnable held = queue.poll();
      if (held != null) {
        pool.execute(held);
      }
    }
  }

  /**
   * Acts on every item, and returns when all actions have ended. Begins no further one after a
   * failure; throws the first, with the others suppressed in it.
   *
   * @throws InterruptedIOException where the calling thread was interrupted; the flag is set again
   */
  public <T> void forEach(Collection<T> items, Action<T> action) throws IOException {
    if (!items.isEmpty()) {
      forEach(RemoteIterators.remoteIteratorFromIterable(items), items.size(), action);
    }
  }

  /**
   * Like {@link #forEach(Collection, Action)}, for items that come as they are asked for.
   *
   * @param count how many there are, which limits nothing but the threads
   */
  public <T> void forEach(RemoteIterator<T> items, int count, Action<T> action) throws IOException {
    forEach(new Run<>(items, Math.max(1, Math.min(threads, count)), 2, action));
  }

  /** The same, where the number of items is unknown. */
  public <T> void forEach(RemoteIterator<T> items, Action<T> action) throws IOException {
    forEach(new Run<>(items, threads, 1, action));
  }

  private <T> void forEach(Run<T> run) throws IOException {
    run.startThread();
    await(run.started, () -> run.stopped.set(true));
  }

  /**
   * One pass over items. A thread that takes an item which is not the last starts further ones: two
   * where there are surely items for them, because one after the other hundreds start too slowly.
   */
  private final class Run<T> implements Callable<Void> {
    final AtomicBoolean stopped = new AtomicBoolean();

    /** A task is in it before the one that has started it ends. */
    final Queue<Future<?>> started = new ConcurrentLinkedQueue<>();

    private final RemoteIterator<T> rest;
    private final int startedAtOnce;
    private final Action<T> action;

    /** How many threads may yet start; guarded by {@code rest}. */
    private int spare;

    /**
     * @param startedAtOnce how many threads one that has taken an item starts
     */
    Run(RemoteIterator<T> rest, int most, int startedAtOnce, Action<T> action) {
      this.rest = rest;
      this.startedAtOnce = startedAtOnce;
      this.action = action;
      this.spare = most - 1;
    }

    void startThread() {
      started.add(pool.submit(this));
    }

    @Override
    public Void call() throws IOException {
      try {
        while (!stopped.get()) {
          T item;
          int more;
          synchronized (rest) {
            if (stopped.get() || !rest.hasNext()) {
              return null;
            }
            item = rest.next();
            more = rest.hasNext() ? Math.min(spare, startedAtOnce) : 0;
            spare -= more;
          }
          for (int i = 0; i < more; i++) {
            startThread();
          }
          tryHeldAgain();
          action.on(item);
        }
        return null;
      } catch (IOException | RuntimeException | Error e) {
        // Also where the next item could not be fetched.
        stopped.set(true);
        throw e;
      }
    }
  }

  /**
   * @param stop is called where the calling thread is interrupted
   */
  private static void await(Queue<Future<?>> running, Runnable stop) throws IOException {
    Failures failures = new Failures();
    boolean interrupted = false;
    for (Future<?> future = running.poll(); future != null; future = running.poll()) {
      while (true) {
        try {
          future.get();
          break;
        } catch (InterruptedException e) {
          // What is under way has to end before anybody may act on the outcome.
          interrupted = true;
          stop.run();
        } catch (ExecutionException e) {
          failures.add(causeOf(e));
          break;
        }
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
      InterruptedIOException e = new InterruptedIOException("Interrupted (query cancelled?)");
      failures.first().ifPresent(e::addSuppressed);
      throw e;
    }
    failures.throwAny();
  }

  private static IOException causeOf(ExecutionException failure) {
    Throwable cause = failure.getCause();
    return cause instanceof IOException e ? e : new IOException("Unexpected: " + cause, cause);
  }

  /**
   * Lets the threads end, and does not wait for that. Waking hundreds of them keeps processors busy
   * for longer than a request takes, so an idle one does it later, unless other workers lack
   * threads.
   */
  @Override
  public void close() {
    if (pool.getPoolSize() <= FEW || !share.hasRoom() || !queue.offer(this::endLater)) {
      pool.shutdown();
    }
  }

  private void endLater() {
    LockSupport.parkNanos(LATER.toNanos());
    pool.shutdown();
  }
}
