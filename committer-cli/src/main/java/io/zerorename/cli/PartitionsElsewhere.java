package io.zerorename.cli;

/**
 * What is to be said where nothing is found at a path: it may be the location of a partition that
 * is not in its table's directory. Nothing there tells where the table is, whose log has the
 * commits.
 */
final class PartitionsElsewhere {
  /** For whoever asks for commits. */
  static final String COMMITS =
      "A partition whose location is outside of its table's has the commits of its table: name the"
          + " table's location, and the partition's by --also.";

  /** For whoever asks for jobs. */
  static final String JOBS =
      "A partition whose location is outside of its table's has the jobs of its table: name the"
          + " table's location.";

  private PartitionsElsewhere() {}
}
