package io.zerorename.hive;

import java.util.List;
import org.apache.hadoop.fs.Path;

/** Tells from the temporary path at which Hive wants a file where the data belongs. */
final class FinalNames {
  /** What Hive puts before the name of a file that a task attempt has not committed yet. */
  private static final String TEMPORARY_PREFIX = "-tmp.";

  /** The same in Hive up to 4.0. */
  private static final String OLD_TEMPORARY_PREFIX = "_tmp.";

  /** What Hive puts before the name of the directory in which task attempts write. */
  private static final String TASK_DIRECTORY_PREFIX = "_task_tmp.";

  /** What Hive puts after the name of the directory of a job whose tasks have ended. */
  private static final String ENDED_SUFFIX = ".moved";

  private FinalNames() {}

  /**
   * The final path of a data file.
   *
   * @param temporary {@code <parent of staging>/_task_tmp.<name of staging>/<partition>/-tmp.<task
   *     id>}; for a bucket without rows, which Hive adds after a job of MapReduce, {@code <parent
   *     of staging>/-tmp.<name of staging>.moved/<partition>/<task id>}
   * @param extension what the name must end with for readers, such as {@code .gz}, or ""
   * @return {@code <destination>/<partition>/<task id>.<job id><extension>}, or in the place of the
   *     partition's directory the location that it has of its own; the task id holds the number of
   *     the attempt, so no two attempts and no two jobs share a name, and it begins with that of
   *     the bucket, by which Hive finds the bucket's files
   */
  static Path of(Path temporary, OutputSpec spec, String extension) {
    String below = belowStaging(temporary, spec.staging());
    String name = temporary.getName();
    String taskId =
        name.startsWith(TEMPORARY_PREFIX)
            ? name.substring(TEMPORARY_PREFIX.length())
            : name.startsWith(OLD_TEMPORARY_PREFIX)
                ? name.substring(OLD_TEMPORARY_PREFIX.length())
                : name;
    Path parent =
        below.isEmpty() ? spec.destination() : new Path(spec.destination(), stripSlash(below));
    return new Path(spec.locations().resolve(parent), taskId + "." + spec.jobId() + extension);
  }

  /** The partition's directory with a slash after it, or "". */
  private static String belowStaging(Path temporary, Path staging) {
    String directory = temporary.getParent().toUri().getPath() + Path.SEPARATOR;
    for (String name :
        List.of(
            TASK_DIRECTORY_PREFIX + staging.getName(),
            TEMPORARY_PREFIX + staging.getName() + ENDED_SUFFIX,
            OLD_TEMPORARY_PREFIX + staging.getName() + ENDED_SUFFIX)) {
      String root = new Path(staging.getParent(), name).toUri().getPath() + Path.SEPARATOR;
      if (directory.startsWith(root)) {
        return directory.substring(root.length());
      }
    }
    throw new IllegalArgumentException(
        "Hive asked for a file at "
            + temporary
            + ", which is in none of its temporary directories for "
            + staging
            + ", so the committer cannot tell its partition. Run the statement with "
            + HiveKeys.ENABLED.name()
            + "=false and report this plan.");
  }

  private static String stripSlash(String directory) {
    return directory.substring(0, directory.length() - 1);
  }
}
