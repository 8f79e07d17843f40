package io.zerorename.hive.write;

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
 *
 * <p>After a writer that fails, Hive forgets the others of the sink. So those that were closed are
 * given up with it.
 */
final class SinkWriters {
  /** Writers of one sink have nothing else in common that lives as long as they do. */
  private static final Map<Sink, WeakReference<SinkWriters>> ALL = new HashMap<>();

  private final int filesAtOnce;
  private final Queue<PendingWriter> open = new ConcurrentLinkedQueue<>();

  /** Whose turn has not come. */
  private final Set<PendingWriter> closedAhead = ConcurrentHashMap.newKeySet();

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
    closedAhead.remove(writer);
  }

  /**
   * Closes further writers while last parts are under way, and there may be more of them.
   *
   * @param first was closed
   */
  void closeAheadWith(PendingWriter first) {
    sending.add(first);
    while (true) {
      sending.removeIf(writer -> !writer.isSending());
      boolean wanted = !sending.isEmpty() && sending.size() < filesAtOnce;
      PendingWriter next = wanted ? open.poll() : null;
      if (next == null) {
        return;
      }
      closedAhead.add(next);
      next.closeAhead();
      sending.add(next);
    }
  }

  /** Aborts the uploads of all that were closed and have not had their turn. */
  void giveUpClosedAhead(Throwable because) {
    closedAhead.forEach(writer -> writer.giveUpAhead(because));
  }
}
