package io.zerorename.core.log;

import java.util.Arrays;
import java.util.Optional;

/** How the executor of an entry has ended. */
public enum Ending {
  /** All that the entry says is done, and no request of the executor is under way. */
  COMPLETE("complete"),
  /** Files of the entry are lost. */
  DAMAGED("damaged"),
  /** A {@link EntryKind#RESUME} has changed nothing, and leaves its target as it was. */
  LEFT("left"),
  /** All files are in place; partitions have yet to be registered in the metastore. */
  METASTORE_OPEN("metastore-open"),
  /**
   * A later REPLACE of all that the entry changes has ended, and has finalized each of its files.
   * Its executor writes this: whatever becomes of the entry's own, it can make nothing visible any
   * more.
   */
  SUPERSEDED("superseded");

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

  /** Whether nothing that the executor has sent can take effect any more, and no work is left. */
  boolean isCertain() {
    return this == COMPLETE || this == DAMAGED || this == LEFT || this == SUPERSEDED;
  }

  /** Whether all steps of the execution were done. */
  boolean isOfExecuted() {
    return this == COMPLETE || this == METASTORE_OPEN;
  }

  /** Whether nothing is left to do for the entry that was executed. */
  public boolean endsTarget() {
    return this != LEFT && this != METASTORE_OPEN;
  }
}
