package io.zerorename.hive;

import static java.util.Objects.requireNonNull;

import java.lang.ref.WeakReference;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.Path;

/**
 * The open writers of one file sink in one task attempt. Hive closes them in a row once no row can
 * come (FileSinkOperator.closeOp), and renames the manifest of each before it closes the next. So
 * when the first is closed others are closed with it, as many as may send their last part at once,
 * and Hive's turn finds their files sent.
 *
 * <p>Only a writer that is closed well has others closed, and where Hive closes it because its
 * partition has ended (rows sorted by partition) there is no other. Used by the task's thread, on
 * which the formats' writers run as before.
 */
final class SinkWriters {
  private static final Map<Sink, WeakReference<SinkWriters>> ALL = new HashMap<>();

  private final int filesAtOnce;
  private final Deque<PendingWriter> open = new ArrayDeque<>();
  private final List<PendingWriter> sending = new ArrayList<>();

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
      if (sending.size() >= filesAtOnce || open.isEmpty()) {
        return;
      }
      latest = open.remove();
      latest.closeAhead();
    }
  }
}
