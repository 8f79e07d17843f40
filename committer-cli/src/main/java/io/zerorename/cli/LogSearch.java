package io.zerorename.cli;

import io.zerorename.core.job.CommitLogs;
import io.zerorename.core.store.StoreException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.util.StringUtils;

/** Finds the commit log that a path has. */
final class LogSearch {
  /**
   * Advice if nothing is found at a path: it may be a partition outside of its table's directory,
   * whose commits are in the table's log. Nothing there shows where the table is.
   */
  static final String COMMITS_ELSEWHERE =
      "A partition whose location is outside of its table's has the commits of its table: name the"
          + " table's location, and the partition's by --also.";

  private LogSearch() {}

  /**
   * Checks that a path, or a directory above it, has a log that can be read.
   *
   * @param advice if there is none
   * @return the lowest directory that has one
   * @throws InputException if there is none
   */
  static Path require(Path path, String advice, CommitLogs logs) throws IOException {
    List<Path> denied = new ArrayList<>();
    for (Path above = path; above != null; above = above.getParent()) {
      try {
        if (logs.of(above).tail().highest() > 0) {
          return above;
        }
      } catch (StoreException e) {
        // A user who may read a table need not have access to the directories above it.
        if (above.equals(path) || e.kind() != StoreException.Kind.ACCESS_DENIED) {
          throw e;
        }
        denied.add(above);
      }
    }
    throw new InputException(
        ("ZR-9102: There is no commit log of %s or of a directory above it. %s zerorename status %s"
                + " shows all of the bucket.")
            .formatted(
                path,
                denied.isEmpty()
                    ? advice
                    : "But access to those of some directories is denied: %s. %s"
                        .formatted(StringUtils.join(", ", denied), advice),
                new Path(path, "/")));
  }
}
