package io.zerorename.cli;

import io.zerorename.core.recovery.LoggedJob;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.fs.Path;

/**
 * What is open at a destination.
 *
 * @param log the directory of its commit log
 * @param jobs that have not ended, or of which files are lost
 * @param problem why the log cannot be read
 */
record DestinationStatus(
    Path destination, Path log, List<LoggedJob> jobs, Optional<String> problem) {
  DestinationStatus {
    jobs = List.copyOf(jobs);
  }
}
