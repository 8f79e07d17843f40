package io.zerorename.hive;

import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hive.ql.exec.AbstractFileMergeOperator;

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
   * @param temporary {@code <parent of the sink's directory>/_task_tmp.<its name>/<partition>/-tmp.
   *     <task id>}; a branch of a UNION ALL has a directory of its own below each dynamic partition
   * @param extension what the name must end with for readers, such as {@code .gz}, or ""
   * @return {@code <destination>/<partition>/<task id>.<job id><extension>}; the task id holds the
   *     number of the attempt, so no two attempts and no two jobs share a name. Before it stands,
   *     where there are branches, the branch's own part of its directory's name, as in {@code
   *     2_000000_0}: tasks of different branches have the same ids.
   */
  static Path of(Path temporary, OutputSpec spec, String extension) {
    Path taskDirectory =
        new Path(spec.directory().getParent(), TASK_DIRECTORY_PREFIX + spec.directory().getName());
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
    String branchDirectory = spec.branch() + Path.SEPARATOR;
    if (!spec.branch().isEmpty()
        && (below.equals(branchDirectory) || below.endsWith(Path.SEPARATOR + branchDirectory))) {
      below = below.substring(0, below.length() - branchDirectory.length());
    }
    Path parent =
        below.isEmpty() ? spec.destination() : new Path(spec.destination(), stripSlash(below));
    return new Path(parent, branchPrefix(spec) + taskId + "." + spec.jobId() + extension);
  }

  /** That of Hive, where it is told to flatten the directories of a UNION ALL. */
  private static String branchPrefix(OutputSpec spec) {
    if (spec.branch().isEmpty()) {
      return "";
    }
    String number =
        spec.branch().startsWith(AbstractFileMergeOperator.UNION_SUDBIR_PREFIX)
            ? spec.branch().substring(AbstractFileMergeOperator.UNION_SUDBIR_PREFIX.length())
            : spec.branch();
    return number + "_";
  }

  private static String stripSlash(String directory) {
    return directory.substring(0, directory.length() - 1);
  }
}
