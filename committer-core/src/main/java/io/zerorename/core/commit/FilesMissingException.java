package io.zerorename.core.commit;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.log.OutputJob;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.hadoop.fs.Path;

/**
 * Files of a committed job are neither pending nor there, and it is too early to call them lost.
 */
final class FilesMissingException extends IOException {
  private static final long serialVersionUID = 1L;

  private final transient List<Path> missing;
  private final Instant lostFrom;

  /**
   * @param lostFrom when they are lost if they are missing then, by the log's clock
   */
  FilesMissingException(OutputJob job, List<Path> missing, Instant lostFrom) {
    super(
        describe(missing)
            + " If they are missing from "
            + lostFrom
            + " on, they are lost, which "
            + RecoverCommand.of(job)
            + " then tells. With --give-up --job "
            + job.id()
            + " it ends the commit before; jobs that replace files wait for that time all the"
            + " same.");
    this.missing = List.copyOf(missing);
    this.lostFrom = requireNonNull(lostFrom, "lostFrom");
  }

  /** What has failed, where it is this. */
  static Optional<FilesMissingException> in(Exception failure) {
    return Stream.of(failure, failure.getCause())
        .filter(FilesMissingException.class::isInstance)
        .map(FilesMissingException.class::cast)
        .findFirst();
  }

  static String describe(List<Path> missing) {
    return missing.size()
        + " of its uploads are gone, and their objects are not there, the first is "
        + missing.get(0)
        + ". The store may still be joining their parts for a process that was cut off.";
  }

  List<Path> missing() {
    return missing;
  }

  Instant lostFrom() {
    return lostFrom;
  }
}
