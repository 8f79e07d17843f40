package io.zerorename.core.log;

import java.util.Locale;

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

  /** By its name in lower case. */
  static EntryKind named(String name) {
    return valueOf(name.toUpperCase(Locale.ROOT));
  }

  /** As it stands in the name of a marker. */
  String inName() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Whether it says what is written and deleted. */
  public boolean commits() {
    return this != VOID;
  }
}
