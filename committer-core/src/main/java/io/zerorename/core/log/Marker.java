package io.zerorename.core.log;

/**
 * What the name of a marker says: the executor of an entry has ended. All but the ending is the
 * {@link LogEntry}'s.
 */
public record Marker(
    long number, Ending ending, EntryKind kind, long lowest, long target, String jobId) {
  static Marker of(LogEntry entry, Ending ending) {
    return new Marker(
        entry.number(), ending, entry.kind(), entry.lowest(), entry.target(), entry.job().id());
  }
}
