package io.zerorename.cli.doctor;

/** How a check ended. */
public enum Outcome {
  OK("ok"),
  /** Some statements keep Hive's or Spark's own path, or something costs more than it must. */
  WARNING("warning"),
  /** The committer is not used, or its commits fail. */
  WRONG("WRONG"),
  /** It cannot be checked from here, or is not in use. */
  NOT_CHECKED("not checked");

  private final String word;

  Outcome(String word) {
    this.word = word;
  }

  /** As it is printed. */
  public String word() {
    return word;
  }
}
