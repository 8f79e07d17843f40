package io.zerorename.testing.sparksuites;

/**
 * What one test of a suite did.
 *
 * @param message why it did not pass
 * @param requests what it asked of S3
 */
record TestRun(boolean passed, String message, Requests requests) {
  /**
   * Requests to S3 of some time.
   *
   * @param copies by which the server copied an object
   * @param stagedCopies of those, the ones that take a file out of a directory in which Spark's own
   *     commit protocol lets tasks write: its renames
   * @param logged those for our commit log
   */
  record Requests(long total, long copies, long stagedCopies, long logged) {
    static final Requests NONE = new Requests(0, 0, 0, 0);

    Requests plus(Requests other) {
      return new Requests(
          total + other.total,
          copies + other.copies,
          stagedCopies + other.stagedCopies,
          logged + other.logged);
    }
  }
}
