package io.zerorename.core.log;

import java.util.Arrays;
import java.util.Optional;

/** How the executor of an entry has ended: it has no request under way any more. */
public enum Ending {
  /** All that the entry says is done. */
  COMPLETE("complete"),
  /** The same, but one of its PUTs may still be under way, until its window is over. */
  DOUBTFUL("doubtful"),
  /** Files of the entry are lost. */
  DAMAGED("damaged"),
  /** A {@link EntryKind#RESUME} has changed nothing, and leaves its target as it was. */
  LEFT("left"),
  /** All files are in place; partitions have yet to be registered in the metastore. */
  METASTORE_OPEN("metastore-open");

  private final String inName;

  Ending(String inName) {
    this.inName = inName;
  }

  /** As it stands in the name of a marker. */
  String inName() {
    return inName;
  }

  static Optional<Ending> named(String name) {
    return Arrays.stream(values()).filter(it -> it.inName.equals(name)).findFirst();
  }

  /** Whether the entry that was executed, or whose execution was resumed, has ended by it. */
  boolean endsTarget() {
    return this != LEFT;
  }
}
