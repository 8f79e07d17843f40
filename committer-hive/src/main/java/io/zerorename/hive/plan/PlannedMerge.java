package io.zerorename.hive.plan;

import java.util.Optional;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hive.ql.exec.ConditionalTask;
import org.apache.hadoop.hive.ql.exec.MoveTask;
import org.apache.hadoop.hive.ql.exec.Task;
import org.apache.hadoop.hive.ql.plan.ConditionalResolverMergeFiles;
import org.apache.hadoop.hive.ql.plan.ConditionalResolverMergeFiles.ConditionalResolverMergeFilesCtx;

/**
 * Hive's merge of small files (GenMapRedUtils.createMRWorkForMergingFiles): a task that decides at
 * run time whether the files of a directory are merged into another one, moved there, or both.
 *
 * @param source where the sinks write
 * @param result where the files are after it
 */
record PlannedMerge(Path source, Path result) {
  /** Empty where the task is of another kind, or moves the files to their destination itself. */
  static Optional<PlannedMerge> of(Task<?> task) {
    return task instanceof ConditionalTask conditional
            && conditional.getResolver() instanceof ConditionalResolverMergeFiles
            && conditional.getResolverCtx() instanceof ConditionalResolverMergeFilesCtx context
            && conditional.getListTasks().get(0) instanceof MoveTask move
            && move.getWork().getLoadFileWork() != null
        ? Optional.of(
            new PlannedMerge(
                new Path(context.getDir()), move.getWork().getLoadFileWork().getTargetDir()))
        : Optional.empty();
  }
}
