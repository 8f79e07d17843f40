package io.zerorename.core.log;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

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

  /** By its name in lower case. */
  static Optional<EntryKind> named(String name) {
    return Arrays.stream(values())
        .filter(it -> it.name().toLowerCase(Locale.ROOT).equals(name))
        .findFirst();
  }

  /** Whether it replaces the files of directories. */
  public boolean replaces() {
    return this == REPLACE || this == CLEAR;
  }

  /** Whether it decides for its job, and says what is written and deleted. */
  public boolean commits() {
    return decides() && this != VOID;
  }

  /** Whether it decides its job. Of one job there is at most one such entry. */
  public boolean decides() {
    return this != RESUME && this != GIVEUP;
  }
}
