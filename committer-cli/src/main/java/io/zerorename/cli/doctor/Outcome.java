package io.zerorename.cli.doctor;

/** What a check found. */
enum Outcome {
  /** As it should be. */
  OK("ok"),
  /** It works, and may surprise. */
  WARNING("warning"),
  /** The committer is not used, or its commits fail. */
  WRONG("WRONG"),
  /** It could not be seen, or is not meant to be used. */
  NOT_CHECKED("not checked");

  private final String word;

  Outcome(String word) {
    this.word = word;
  }

  /** For a person. */
  String word() {
    return word;
  }
}
