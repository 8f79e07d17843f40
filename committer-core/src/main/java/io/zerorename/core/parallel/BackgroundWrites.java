package io.zerorename.core.parallel;

import io.zerorename.core.store.Failures;
import java.io.IOException;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;

/**
 * Writes in threads of its own, a few at once. A caller first takes room for a document, which
 * bounds what is in memory. Where the process writes too much at once, the caller writes.
 */
public final class BackgroundWrites {
  private final int atOnce;
  private final Semaphore room;
  private final ProcessShare.User memory;
  private final Failures failures = new Failures();
  private final Executor threads;

  /**
   * @param atOnce how many there is room for
   * @param memory for what all threads of the process are writing
   */
  public BackgroundWrites(int atOnce, ProcessShare memory) {
    this(
        atOnce,
        memory,
        task -> {
          Thread thread = new Thread(task, "zerorename-plan");
          thread.setDaemon(true);
          thread.start();
        });
  }

  /**
   * @param threads in which to write
   */
  public BackgroundWrites(int atOnce, ProcessShare memory, Executor threads) {
    this.atOnce = atOnce;
    this.memory = memory.user();
    this.room = new Semaphore(atOnce);
    this.threads = threads;
  }

  /**
   * Waits for room, which {@link #write} or {@link #giveBack} ends.
   *
   * @throws IOException where a write has failed
   */
  public void takeRoom() throws IOException {
    failures.throwAny();
    room.acquireUninterruptibly();
  }

  public void giveBack() {
    room.release();
  }

  /**
   * Writes, and then gives back the room that the caller has taken for it.
   *
   * @param size how much memory it takes meanwhile
   */
  public void write(long size, Failures.Step write) {
    boolean shared = memory.tryTake(size);
    Runnable task =
        () -> {
          try {
            failures.of(write);
          } catch (Error e) {
            failures.add(new IOException("Unexpected: " + e, e));
          } finally {
            if (shared) {
              memory.giveBack(size);
            }
            room.release();
          }
        };
    if (!shared) {
      task.run();
      return;
    }
    try {
      threads.execute(task);
    } catch (OutOfMemoryError e) {
      // The process may have no further thread: then the caller writes.
      task.run();
    }
  }

  /** Waits until nothing is under way. */
  public void await() {
    room.acquireUninterruptibly(atOnce);
    room.release(atOnce);
  }

  /** Throws the first failure, if there was one. */
  public void throwAny() throws IOException {
    failures.throwAny();
  }
}
