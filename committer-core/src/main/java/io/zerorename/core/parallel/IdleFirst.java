package io.zerorename.core.parallel;

import java.util.AbstractQueue;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The queue of a pool of threads. It takes a task only where a thread waits for one, so that the
 * pool makes a thread for it where none does, as long as it may; then it holds the task.
 *
 * <p>{@code LinkedTransferQueue} could do the same, but in Java 17 a thread that waits in it may
 * keep a processor busy until its time is over: where its predecessor was unlinked, it never parks.
 */
final class IdleFirst extends AbstractQueue<Runnable> implements BlockingQueue<Runnable> {
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition added = lock.newCondition();

  /** Guarded by the lock, like the others. */
  private final Queue<Runnable> tasks = new ArrayDeque<>();

  /** How many threads wait. As many tasks as there are have one of them each. */
  private int waiting;

  /** Returns false where no thread waits that has no task yet. */
  @Override
  public boolean offer(Runnable task) {
    lock.lock();
    try {
      if (waiting <= tasks.size()) {
        return false;
      }
      put(task);
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** Holds a task for the next thread that has none. */
  @Override
  public void put(Runnable task) {
    lock.lock();
    try {
      tasks.add(task);
      added.signal();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public Runnable poll(long time, TimeUnit unit) throws InterruptedException {
    long left = unit.toNanos(time);
    lock.lockInterruptibly();
    waiting++;
    try {
      while (tasks.isEmpty()) {
        if (left <= 0) {
          return null;
        }
        left = added.awaitNanos(left);
      }
      return tasks.remove();
    } finally {
      waiting--;
      lock.unlock();
    }
  }

  @Override
  public Runnable take() throws InterruptedException {
    Runnable task;
    do {
      task = poll(Long.MAX_VALUE, TimeUnit.NANOSECONDS);
    } while (task == null);
    return task;
  }

  @Override
  public Runnable poll() {
    lock.lock();
    try {
      return tasks.poll();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public Runnable peek() {
    lock.lock();
    try {
      return tasks.peek();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public boolean remove(Object task) {
    lock.lock();
    try {
      return tasks.remove(task);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public int size() {
    lock.lock();
    try {
      return tasks.size();
    } finally {
      lock.unlock();
    }
  }

  /** Over those of now. */
  @Override
  public Iterator<Runnable> iterator() {
    lock.lock();
    try {
      return List.copyOf(tasks).iterator();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public boolean offer(Runnable task, long time, TimeUnit unit) {
    return offer(task);
  }

  @Override
  public int remainingCapacity() {
    return Integer.MAX_VALUE;
  }

  @Override
  public int drainTo(Collection<? super Runnable> into) {
    return drainTo(into, Integer.MAX_VALUE);
  }

  @Override
  public int drainTo(Collection<? super Runnable> into, int most) {
    lock.lock();
    try {
      int drained = 0;
      for (; drained < most && !tasks.isEmpty(); drained++) {
        into.add(tasks.remove());
      }
      return drained;
    } finally {
      lock.unlock();
    }
  }
}
