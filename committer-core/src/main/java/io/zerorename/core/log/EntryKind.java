package io.zerorename.core.log;

/** What an entry of the {@link CommitLog} does. */
public enum EntryKind {
  /** Adds files: INSERT INTO, or the output of a MapReduce job. */
  ADD,
  /**
   * Replaces what lies in some directories by its own files: INSERT OVERWRITE. Without files it
   * empties them: TRUNCATE, or an overwrite on the engine's own path.
   */
  REPLACE,
  /** Its job can never commit. */
  VOID;

  /** Whether it says what is written and deleted. */
  public boolean commits() {
    return this != VOID;
  }
}
