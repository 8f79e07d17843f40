package io.zerorename.core.log;

/** What an entry of the {@link CommitLog} does. */
public enum EntryKind {
  /** Adds files: INSERT INTO, or the output of a MapReduce job. */
  ADD,
  /** Replaces what lies in some directories by its own files: INSERT OVERWRITE. */
  REPLACE,
  /** A {@link #REPLACE} without files: TRUNCATE, or an overwrite on the engine's own path. */
  CLEAR,
  /** Another process executes an earlier entry. */
  RESUME,
  /** An operator ends an earlier entry without the files that are lost. */
  GIVEUP,
  /** Its job can never commit. */
  VOID;

  /** Whether it decides its job. Of one job there is at most one such entry. */
  public boolean decides() {
    return this != RESUME && this != GIVEUP;
  }
}
