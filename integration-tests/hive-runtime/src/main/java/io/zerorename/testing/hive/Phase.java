package io.zerorename.testing.hive;

import java.util.Locale;

/** The parts of a statement's time that are shown apart. */
public enum Phase {
  TASKS("the engine's tasks run and write their files"),
  COMMIT("the job is closed (Hive default renames its staging directory) and zero-rename commits"),
  MOVE("MoveTask brings files into the partitions and tells the metastore"),
  STATISTICS("StatsTask gathers the partitions' statistics"),
  REST("compilation, job submission, hooks, cleaning up");

  private final String explanation;

  Phase(String explanation) {
    this.explanation = explanation;
  }

  /** In a person's words. */
  public String explanation() {
    return explanation;
  }

  /** Its name in reports. */
  public String key() {
    return name().toLowerCase(Locale.ROOT);
  }
}
