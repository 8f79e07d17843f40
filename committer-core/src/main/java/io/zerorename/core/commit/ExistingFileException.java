package io.zerorename.core.commit;

import java.io.IOException;
import org.apache.hadoop.fs.Path;

/** A place that a job was to fill is not empty any more. */
final class ExistingFileException extends IOException {
  private static final long serialVersionUID = 1L;

  ExistingFileException(Path file) {
    super(
        "ZR-1132: "
            + file
            + " exists already: another job has written into the destination since this one"
            + " began.");
  }
}
