package io.zerorename.core.commit;

import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.util.Collection;
import java.util.Iterator;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/**
 * Runs an action on many items with a bounded number of threads, and stops at the first failure.
 */
public final class Workers implements Closeable {
  /** Does something with one item. */
  @FunctionalInterface
  public interface Action<T> {
    void on(T item) throws IOException;
  }

  private final int threads;
  private final ExecutorService pool;

  /** Workers, to be closed by the caller. */
  public Workers(int threads) {
    this.threads = threads;
    AtomicInteger number = new AtomicInteger();
    this.pool =
        Executors.newFixedThreadPool(
            threads,
            task -> {
              Thread thread = new Thread(task, "zerorename-commit-" + number.incrementAndGet());
              thread.setDaemon(true);
              return thread;
            });
  }

  /**
   * Acts on every item, and returns when all actions have ended. Begins no further one after a
   * failure; throws the first, with the others suppressed in it.
   *
   * @throws InterruptedIOException where the calling thread was interrupted; the flag is set again
   */
  public <T> void forEach(Collection<T> items, Action<T> action) throws IOException {
    forEach(items.iterator(), Math.min(threads, items.size()), action);
  }

  /** Like {@link #forEach(Collection, Action)}, for items that come as they are asked for. */
  public <T> void forEach(Iterable<T> items, Action<T> action) throws IOException {
    forEach(items.iterator(), threads, action);
  }

  private <T> void forEach(Iterator<T> rest, int atOnce, Action<T> action) throws IOException {
    AtomicBoolean stopped = new AtomicBoolean();
    Runnable worker =
        () -> {
          while (!stopped.get()) {
            try {
              T item;
              synchronized (rest) {
                if (stopped.get() || !rest.hasNext()) {
                  return;
                }
                item = rest.next();
              }
              action.on(item);
            } catch (IOException e) {
              stopped.set(true);
              throw new UncheckedIOException(e);
            } catch (RuntimeException | Error e) {
              // Also where the next item could not be fetched.
              stopped.set(true);
              throw e;
            }
          }
        };
    Collection<Future<?>> running =
        IntStream.range(0, atOnce).<Future<?>>mapToObj(i -> pool.submit(worker)).toList();
    await(running, stopped);
  }

  private void await(Collection<Future<?>> running, AtomicBoolean stopped) throws IOException {
    IOException failure = null;
    boolean interrupted = false;
    for (Future<?> future : running) {
      while (true) {
        try {
          future.get();
          break;
        } catch (InterruptedException e) {
          // What is under way has to end before anybody may act on the outcome.
          interrupted = true;
          stopped.set(true);
        } catch (ExecutionException e) {
          IOException cause = causeOf(e);
          if (failure == null) {
            failure = cause;
          } else {
            failure.addSuppressed(cause);
          }
          break;
        }
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
      InterruptedIOException e = new InterruptedIOException("Interrupted (query cancelled?)");
      if (failure != null) {
        e.addSuppressed(failure);
      }
      throw e;
    }
    if (failure != null) {
      throw failure;
    }
  }

  private static IOException causeOf(ExecutionException failure) {
    Throwable cause = failure.getCause();
    if (cause instanceof UncheckedIOException unchecked) {
      return unchecked.getCause();
    }
    return cause instanceof IOException e ? e : new IOException("Unexpected: " + cause, cause);
  }

  @Override
  public void close() {
    pool.shutdown();
  }
}
