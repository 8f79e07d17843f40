package io.zerorename.core.parallel;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * The queue of a pool of threads. It takes a task only where a thread waits for one, so that the
 * pool starts a thread where none does, as long as it may; then it {@linkplain #hold holds} the
 * task.
 *
 * <p>{@code LinkedTransferQueue} could do the same, but in Java 17 a thread that waits in it may
 * keep a processor busy.
 */
final class HandOffQueue extends LinkedBlockingQueue<Runnable> {
  private int waiting;

  /** Tasks with which no thread has left {@link #poll(long, TimeUnit)} yet. */
  private int untaken;

  /** Returns false where each thread that waits has a task. */
  @Override
  public synchronized boolean offer(Runnable task) {
    return untaken < waiting && hold(task);
  }

  /** Keeps a task for the next thread that has none. */
  synchronized boolean hold(Runnable task) {
    untaken++;
    return super.offer(task);
  }

  @Override
  public Runnable poll(long time, TimeUnit unit) throws InterruptedException {
    synchronized (this) {
      waiting++;
    }
    Runnable task = null;
    try {
      task = super.poll(time, unit);
    } finally {
      synchronized (this) {
        waiting--;
        if (task != null) {
          untaken--;
        }
      }
    }
    // One may have been offered since the time was over.
    return task == null ? poll() : task;
  }

  @Override
  public synchronized Runnable poll() {
    Runnable task = super.poll();
    if (task != null) {
      untaken--;
    }
    return task;
  }

  @Override
  public synchronized boolean remove(Object task) {
    boolean removed = super.remove(task);
    if (removed) {
      untaken--;
    }
    return removed;
  }
}
