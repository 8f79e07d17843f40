package io.zerorename.hive;

import org.apache.hadoop.fs.Path;

/** Tells from the temporary path at which Hive wants a file where the data belongs. */
final class FinalNames {
  /** What Hive puts before the name of a file that a task attempt has not committed yet. */
  private static final String TEMPORARY_PREFIX = "-tmp.";

  /** The same in Hive up to 4.0. */
  private static final String OLD_TEMPORARY_PREFIX = "_tmp.";

  /** What Hive puts before the name of the directory in which task attempts write. */
  private static final String TASK_DIRECTORY_PREFIX = "_task_tmp.";

  private FinalNames() {}

  /**
   * The final path of a data file.
   *
   * @param temporary {@code <parent of staging>/_task_tmp.<name of staging>/<partition>/-tmp.<task
   *     id>}
   * @param extension what the name must end with for readers, such as {@code .gz}, or ""
   * @return {@code <destination>/<partition>/<task id>.<job id><extension>}; the task id holds the
   *     number of the attempt, so no two attempts and no two jobs share a name
   */
  static Path of(Path temporary, OutputSpec spec, String extension) {
    Path taskDirectory =
        new Path(spec.staging().getParent(), TASK_DIRECTORY_PREFIX + spec.staging().getName());
    String root = taskDirectory.toUri().getPath() + Path.SEPARATOR;
    String path = temporary.toUri().getPath();
    String directory = temporary.getParent().toUri().getPath() + Path.SEPARATOR;
    if (!directory.startsWith(root)) {
      throw new IllegalArgumentException(
          "Hive asked for a file at "
              + temporary
              + ", which is not below "
              + taskDirectory
              + ", so the committer cannot tell its partition. Run the statement with "
              + HiveKeys.ENABLED.name()
              + "=false and report this plan.");
    }
    String name = path.substring(path.lastIndexOf('/') + 1);
    String taskId =
        name.startsWith(TEMPORARY_PREFIX)
            ? name.substring(TEMPORARY_PREFIX.length())
            : name.startsWith(OLD_TEMPORARY_PREFIX)
                ? name.substring(OLD_TEMPORARY_PREFIX.length())
                : name;
    String below = directory.substring(root.length());
    Path parent =
        below.isEmpty() ? spec.destination() : new Path(spec.destination(), stripSlash(below));
    return new Path(parent, taskId + "." + spec.jobId() + extension);
  }

  private static String stripSlash(String directory) {
    return directory.substring(0, directory.length() - 1);
  }
}
