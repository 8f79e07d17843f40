package io.zerorename.core.log;

/**
 * What the name of a marker says: an executor has ended.
 *
 * @param number of the entry under which it has worked
 * @param kind of that entry
 * @param lowest the lowest number that was not quiet when that entry was decided
 * @param target the entry that was executed: its own number, or what it resumes
 */
public record Marker(
    long number, Ending ending, EntryKind kind, long lowest, long target, String jobId) {
  static Marker of(LogEntry entry, Ending ending) {
    return new Marker(
        entry.number(), ending, entry.kind(), entry.lowest(), entry.target(), entry.job().id());
  }
}
