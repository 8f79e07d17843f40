package io.zerorename.core.log;

import java.util.Arrays;
import java.util.Locale;

/**
 * How far an entry is: each but the first is what a marker says. An entry may have several; the
 * last one of these in the order of this list counts.
 */
public enum EntryState {
  /** It has no marker: it is being executed, or was interrupted. */
  OPEN,
  /**
   * A process has looked at it and left it to an operator: files of an overwrite are lost, or
   * another program has changed its directories.
   */
  LEFT,
  /** An operator lets it go on without the files that are lost. */
  GIVEN_UP,
  /**
   * All files are in place but for those that its note names as lost; partitions have yet to be
   * registered in the metastore.
   */
  METASTORE_OPEN,
  /** A later REPLACE of all that it changes was executed, and has finalized each of its files. */
  SUPERSEDED,
  /** It has ended, and files of it are lost. */
  DAMAGED,
  /** All that it says is done. */
  COMPLETE;

  /** As it stands in the name of a marker. */
  String inName() {
    String name = name().toLowerCase(Locale.ROOT).replace('_', '-');
    return isEnded() ? "ended." + name : name;
  }

  static EntryState named(String name) {
    return Arrays.stream(values())
        .filter(it -> it != OPEN && it.inName().equals(name))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException(name));
  }

  /** Whether nothing of the entry can appear any more, and nothing is left to do for it. */
  public boolean isEnded() {
    return compareTo(SUPERSEDED) >= 0;
  }

  /** Whether each of its files, and of those that it follows, is there or can never be. */
  public boolean isExecuted() {
    return this == METASTORE_OPEN || this == DAMAGED || this == COMPLETE;
  }
}
