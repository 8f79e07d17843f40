package io.zerorename.hive;

import static java.util.Objects.requireNonNull;

import java.lang.ref.WeakReference;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.hadoop.fs.Path;

/**
 * The open writers of one file sink in one task attempt. Hive closes them in a row once no row can
 * come (FileSinkOperator.closeOp), and renames the manifest of each before it closes the next. So
 * when the first is closed others are closed with it, as many as may send their last part at once,
 * and Hive's turn finds their files sent.
 *
 * <p>Only a writer that is closed well has others closed, and where Hive closes it because its
 * partition has ended (rows sorted by partition) the others are those of the same partition, which
 * it closes as well. The formats' writers run on the task's thread as before; but a script's rows
 * (TRANSFORM) come on a thread of their own, which may go on while the task's aborts.
 */
final class SinkWriters {
  /** Writers of one sink have nothing else in common that lives as long as they do. */
  private static final Map<Sink, WeakReference<SinkWriters>> ALL = new HashMap<>();

  private final int filesAtOnce;
  private final Queue<PendingWriter> open = new ConcurrentLinkedQueue<>();
  private final Set<PendingWriter> sending = ConcurrentHashMap.newKeySet();

  private SinkWriters(int filesAtOnce) {
    this.filesAtOnce = filesAtOnce;
  }

  /**
   * A sink, as its writers know it. A long-lived process runs tasks in several threads, two of
   * which may name their attempts alike.
   */
  private record Sink(long thread, Path directory, String jobId, String taskAttemptId) {
    private Sink {
      requireNonNull(directory, "directory");
      requireNonNull(jobId, "jobId");
      requireNonNull(taskAttemptId, "taskAttemptId");
    }
  }

  /**
   * Those of the calling thread, as long as one of them holds this.
   *
   * @param filesAtOnce that may send their last part
   */
  static SinkWriters of(OutputSpec spec, String taskAttemptId, int filesAtOnce) {
    Sink sink =
        new Sink(Thread.currentThread().getId(), spec.directory(), spec.jobId(), taskAttemptId);
    synchronized (ALL) {
      ALL.values().removeIf(writers -> writers.get() == null);
      WeakReference<SinkWriters> known = ALL.get(sink);
      SinkWriters writers = known == null ? null : known.get();
      if (writers == null) {
        writers = new SinkWriters(filesAtOnce);
        ALL.put(sink, new WeakReference<>(writers));
      }
      return writers;
    }
  }

  void opened(PendingWriter writer) {
    open.add(writer);
  }

  /** It is Hive's turn to close a writer. */
  void closes(PendingWriter writer) {
    open.remove(writer);
  }

  /**
   * Closes further writers while the last part of one is under way.
   *
   * @param first was closed
   */
  void closeAheadWith(PendingWriter first) {
    sending.removeIf(writer -> !writer.isSending());
    PendingWriter latest = first;
    while (latest.isSending()) {
      sending.add(latest);
      PendingWriter next = sending.size() < filesAtOnce ? open.poll() : null;
      if (next == null) {
        return;
      }
      next.closeAhead();
      latest = next;
    }
  }
}
