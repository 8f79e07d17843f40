package io.zerorename.cli;

/**
 * Advice if nothing is found at a path: it may be a partition outside of its table's directory,
 * whose commits are in the table's log. Nothing there shows where the table is.
 */
final class PartitionsElsewhere {
  static final String COMMITS =
      "A partition whose location is outside of its table's has the commits of its table: name the"
          + " table's location, and the partition's by --also.";

  static final String JOBS =
      "A partition whose location is outside of its table's has the jobs of its table: name the"
          + " table's location.";

  private PartitionsElsewhere() {}
}
