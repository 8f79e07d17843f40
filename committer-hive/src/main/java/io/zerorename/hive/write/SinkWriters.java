package io.zerorename.hive.write;

import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * The open writers of one file sink in one task attempt. Hive closes them in a row once no row can
 * come (FileSinkOperator.closeOp), and renames the manifest of each before it closes the next. So
 * the close of the first closes others ahead, as many as may send their last part at once, and
 * their files are sent when Hive closes them.
 *
 * <p>Only a writer that is closed without error closes others. Where Hive closes it because its
 * partition has ended (rows sorted by partition), the others are those of the same partition, which
 * Hive closes as well. The formats' writers run in the task's thread as before; but the rows of a
 * script (TRANSFORM) come in a thread of their own, which may continue while the task's aborts.
 *
 * <p>After a writer that fails, Hive forgets the others of the sink. So those that were closed
 * ahead are aborted with it.
 */
final class SinkWriters {
  private final int filesAtOnce;
  private final Queue<PendingWriter> open = new ConcurrentLinkedQueue<>();

  /** Those that Hive has yet to close. */
  private final Set<PendingWriter> closedAhead = ConcurrentHashMap.newKeySet();

  private final Set<PendingWriter> sending = ConcurrentHashMap.newKeySet();

  /**
   * @param filesAtOnce that may send their last part
   */
  SinkWriters(int filesAtOnce) {
    this.filesAtOnce = filesAtOnce;
  }

  void opened(PendingWriter writer) {
    open.add(writer);
  }

  /** Hive closes a writer. */
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

  /** Aborts the uploads of all that were closed ahead and that Hive has yet to close. */
  void abortClosedAhead(Throwable because) {
    closedAhead.forEach(writer -> writer.abortAhead(because));
  }
}
