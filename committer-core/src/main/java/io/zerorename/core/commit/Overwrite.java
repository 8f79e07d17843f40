package io.zerorename.core.commit;

import java.util.Set;
import org.apache.hadoop.fs.Path;

/** Which directories' old files a job replaces. */
@FunctionalInterface
public interface Overwrite {
  /**
   * The replaced directories of a job, fully qualified.
   *
   * @param written the directories in which the job writes files
   */
  Set<Path> directories(Set<Path> written);

  /** The job adds files and replaces none. */
  static Overwrite none() {
    return written -> Set.of();
  }

  /** Exactly this directory, even where the job writes no file. */
  static Overwrite directory(Path directory) {
    return written -> Set.of(directory);
  }

  /** The directories in which the job writes files, and no others. */
  static Overwrite directoriesOfFiles() {
    return written -> written;
  }
}
