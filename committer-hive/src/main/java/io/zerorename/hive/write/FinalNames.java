package io.zerorename.hive.write;

import io.zerorename.hive.config.HiveKeys;
import java.util.List;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hive.ql.exec.AbstractFileMergeOperator;

/** The final path of a file, from the temporary path at which Hive wants it. */
final class FinalNames {
  private FinalNames() {}

  /**
   * The final path of a data file.
   *
   * @param temporary {@code <parent of the sink's directory>/_task_tmp.<its name>/<partition>/-tmp.
   *     <task id>}; for a bucket without rows, which Hive adds after a job of MapReduce, {@code
   *     <parent of the sink's directory>/-tmp.<its name>.moved/<partition>/<task id>}. A branch of
   *     a UNION ALL has a directory of its own below each dynamic partition
   * @param extension what the name must end with for readers, such as {@code .gz}, or ""
   * @return {@code <destination>/<partition>/<task id>.<job id><extension>}; the task id holds the
   *     number of the attempt, so no two attempts and no two jobs share a name, and it begins with
   *     that of the bucket, by which Hive finds the bucket's files. Before it stands, where there
   *     are branches, the branch's own part of its directory's name, as in {@code 2_000000_0}:
   *     tasks of different branches have the same ids.
   */
  static Path of(Path temporary, OutputSpec spec, String extension) {
    String below = partition(temporary, spec);
    // With an underscore in Hive up to 4.0.
    String taskId = temporary.getName().replaceFirst("^[-_]tmp\\.", "");
    Path parent = below.isEmpty() ? spec.destination() : new Path(spec.destination(), below);
    return new Path(parent, branchPrefix(spec) + taskId + "." + spec.jobId() + extension);
  }

  /**
   * The final path of a file that Hive has merged, or moved because it needs no merge.
   *
   * @param below the directory in which it is, below that of all files: its partition, and that of
   *     a branch of a UNION ALL where there are any
   * @param name Hive's, {@code <task id>[_copy_<n>][<extension>]}
   */
  static Path ofMerged(String below, String name, OutputSpec spec) {
    int last = below.lastIndexOf(Path.SEPARATOR_CHAR) + 1;
    String branch =
        below.startsWith(AbstractFileMergeOperator.UNION_SUDBIR_PREFIX, last)
            ? below.substring(last)
            : "";
    String partition = branch.isEmpty() ? below : below.substring(0, Math.max(0, last - 1));
    int end = name.indexOf('.') < 0 ? name.length() : name.indexOf('.');
    return new Path(
        partition.isEmpty() ? spec.destination() : new Path(spec.destination(), partition),
        branchPrefix(spec.ofBranch(branch))
            + name.substring(0, end)
            + "."
            + spec.jobId()
            + name.substring(end));
  }

  /** The partition's directory with a slash after it, or "". */
  private static String partition(Path temporary, OutputSpec spec) {
    String below = belowSink(temporary, spec.directory());
    String branch = spec.branch() + Path.SEPARATOR;
    return !spec.branch().isEmpty()
            && (below.equals(branch) || below.endsWith(Path.SEPARATOR + branch))
        ? below.substring(0, below.length() - branch.length())
        : below;
  }

  private static String belowSink(Path temporary, Path sink) {
    String directory = temporary.getParent().toUri().getPath() + Path.SEPARATOR;
    // Where task attempts write, and, in two versions, the directory of a job whose tasks have
    // ended.
    for (String name : List.of("_task_tmp.%s", "-tmp.%s.moved", "_tmp.%s.moved")) {
      Path named = new Path(sink.getParent(), name.formatted(sink.getName()));
      String root = named.toUri().getPath() + Path.SEPARATOR;
      if (directory.startsWith(root)) {
        return directory.substring(root.length());
      }
    }
    throw new IllegalArgumentException(
        ("ZR-2301: Hive asked for a file at %s, which is in none of its temporary directories"
                + " for %s, so its partition is unknown. Run the statement with %s=false and report"
                + " this plan.")
            .formatted(temporary, sink, HiveKeys.ENABLED.name()));
  }

  /** As Hive's, where it is configured to flatten the directories of a UNION ALL. */
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
}
