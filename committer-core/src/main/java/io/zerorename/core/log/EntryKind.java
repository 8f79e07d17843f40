package io.zerorename.core.log;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

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
  static Optional<EntryKind> named(String name) {
    return Arrays.stream(values()).filter(it -> it.inName().equals(name)).findFirst();
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
