package io.zerorename.hive;

import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hive.ql.exec.MoveTask;
import org.apache.hadoop.hive.ql.exec.StatsTask;
import org.apache.hadoop.hive.ql.exec.Task;
import org.apache.hadoop.hive.ql.exec.TaskFactory;
import org.apache.hadoop.hive.ql.plan.DynamicPartitionCtx;
import org.apache.hadoop.hive.ql.plan.FileSinkDesc;
import org.apache.hadoop.hive.ql.plan.LoadFileDesc;
import org.apache.hadoop.hive.ql.plan.LoadTableDesc;
import org.apache.hadoop.hive.ql.plan.LoadTableDesc.LoadFileType;
import org.apache.hadoop.hive.ql.plan.TableDesc;

/**
 * The change of one plan, in two phases: the constructor computes all of it and touches nothing;
 * {@link #apply} only sets what was computed, and cannot fail half-way.
 *
 * <p>Descriptors that other objects share are copied and not changed: the statistics task keeps the
 * original LoadTableDesc, whose {@code REPLACE_ALL} it needs, and prepared statements share
 * descriptors between executions.
 */
final class PlanRewrite {
  /** What becomes of a sink. */
  private record SinkRewrite(
      FileSinkDesc sink, Path directory, TableDesc table, DynamicPartitionCtx partitions) {}

  private final PlannedInsert insert;
  private final List<SinkRewrite> sinks;
  private final Optional<LoadTableDesc> load;
  private final Optional<LoadFileDesc> loadFile;
  private final CommitTask commit;
  private final Optional<CommittedStatsTask> statistics;
  private final boolean countsNewPartitions;

  /**
   * @param jobId of this target
   * @param statementJobs those of all targets of the statement
   * @param stagingRoot a directory of this execution on the scratch file system
   * @param workDir the directory in which the job's own, with its journal, will be
   * @param commitLog the directory of the log in which its commit is decided
   * @param countsNewPartitions whether tasks must look on S3 which partitions are new
   */
  PlanRewrite(
      PlannedInsert insert,
      String jobId,
      Set<String> statementJobs,
      Path stagingRoot,
      Path workDir,
      Path commitLog,
      boolean countsNewPartitions) {
    this.insert = insert;
    this.countsNewPartitions = countsNewPartitions;
    PlannedOutput target = insert.output();
    DynamicPartitionCtx partitions = target.desc().getDynPartCtx();
    // Hive's listing of dynamic partitions expects the static part as directories in the path.
    Path staging =
        partitions == null || partitions.getSPPath() == null
            ? new Path(stagingRoot, "-ext-10000")
            : new Path(new Path(stagingRoot, "-ext-10000"), partitions.getSPPath());
    OutputSpec output =
        new OutputSpec(
            target.desc().getTableInfo().getOutputFileFormatClass().getName(),
            target.destination(),
            staging,
            "",
            jobId,
            workDir,
            insert.locations());
    this.sinks = target.sinks().stream().map(sink -> rewrite(sink.desc(), output)).toList();
    this.load = insert.load().map(original -> withoutMove(original, staging));
    this.loadFile = insert.loadFile().map(PlanRewrite::withoutMove);
    this.commit =
        (CommitTask)
            initialised(
                new CommitTask(),
                new CommitWork(
                    output,
                    target.branches(),
                    stagingRoot,
                    commitLog,
                    statementJobs,
                    insert.target(),
                    target.isDynamic() ? partitions.getDPColNames() : List.of(),
                    insert.overwrites(),
                    insert.staging(),
                    insert.fixedPartition()));
    this.statistics =
        insert
            .statistics()
            .map(
                original -> {
                  CommittedStatsTask task = new CommittedStatsTask(commit);
                  task.replace(original);
                  return task;
                });
  }

  private static SinkRewrite rewrite(FileSinkDesc sink, OutputSpec output) {
    OutputSpec own = sink.isLinkedFileSink() ? output.ofBranch(PlannedOutput.branch(sink)) : output;
    return new SinkRewrite(
        sink,
        own.directory(),
        withPendingOutput(sink.getTableInfo(), own),
        withRoot(sink.getDynPartCtx(), output.staging()));
  }

  private static Task<CommitWork> initialised(CommitTask task, CommitWork work) {
    task.setId("Stage-" + TaskFactory.getAndIncrementId());
    task.setWork(work);
    return task;
  }

  private static TableDesc withPendingOutput(TableDesc original, OutputSpec output) {
    Properties properties = output.addTo(original.getProperties());
    TableDesc copy =
        new TableDesc(original.getInputFileFormatClass(), PendingOutputFormat.class, properties);
    copy.setJobProperties(original.getJobProperties());
    copy.setJobSecrets(original.getJobSecrets());
    return copy;
  }

  private static DynamicPartitionCtx withRoot(DynamicPartitionCtx original, Path staging) {
    if (original == null) {
      return null;
    }
    DynamicPartitionCtx copy = new DynamicPartitionCtx(original);
    copy.setRootPath(staging);
    return copy;
  }

  /**
   * A copy of which the MoveTask moves nothing and does all the rest. Its source path stays the one
   * by which Hive knows the lineage.
   */
  private static LoadTableDesc withoutMove(LoadTableDesc original, Path staging) {
    LoadTableDesc copy = new LoadTableDesc(original);
    copy.setLoadFileType(LoadFileType.IGNORE);
    copy.setInsertOverwrite(original.isInsertOverwrite());
    copy.setStmtId(original.getStmtId());
    copy.setMoveTaskId(original.getMoveTaskId());
    copy.setMdTable(original.getMdTable());
    copy.setDPCtx(withRoot(original.getDPCtx(), staging));
    return copy;
  }

  /** A copy that says that the files are in place already. */
  private static LoadFileDesc withoutMove(LoadFileDesc original) {
    LoadFileDesc copy = new LoadFileDesc(original);
    copy.setSourcePath(original.getTargetDir());
    copy.setMoveTaskId(original.getMoveTaskId());
    return copy;
  }

  /** Changes the plan. */
  void apply() {
    for (SinkRewrite rewrite : sinks) {
      FileSinkDesc sink = rewrite.sink();
      sink.setDirName(rewrite.directory());
      sink.setTableInfo(rewrite.table());
      sink.setDynPartCtx(rewrite.partitions());
      if (insert.output().isDynamic() && !countsNewPartitions) {
        // Otherwise each writer looks for its partition on S3. Nothing else reads this here: that
        // old files are replaced is told by the LoadTableDesc.
        sink.setInsertOverwrite(true);
      }
    }

    MoveTask move = insert.move();
    load.ifPresent(move.getWork()::setLoadTableWork);
    loadFile.ifPresent(move.getWork()::setLoadFileWork);
    for (Task<?> predecessor : insert.predecessors()) {
      predecessor.removeDependentTask(move);
      predecessor.addDependentTask(commit);
    }
    commit.addDependentTask(move);
    statistics.ifPresent(task -> replace(insert.statistics().get(), task));
  }

  /**
   * Lets this commit wait until an earlier target of the statement is at its end, metastore and
   * statistics included, as Hive ends one after the other. To be called after both were applied.
   */
  void follow(PlanRewrite earlier) {
    // Not the move itself: it looks whether its only child is a statistics task.
    List<Task<?>> children = earlier.insert.move().getChildTasks();
    Task<?> last =
        children == null || children.size() != 1 ? earlier.insert.move() : children.get(0);
    if (!PlanTasks.all(List.of(commit)).contains(last)) {
      last.addDependentTask(commit);
      commit.follow(earlier.commit);
    }
  }

  private void replace(StatsTask original, CommittedStatsTask task) {
    MoveTask move = insert.move();
    // On MR it also waits for a job that counts the values of columns.
    for (Task<?> parent : List.copyOf(original.getParentTasks())) {
      parent.removeDependentTask(original);
      parent.addDependentTask(task);
    }
    if (original.getChildTasks() != null) {
      for (Task<?> child : List.copyOf(original.getChildTasks())) {
        original.removeDependentTask(child);
        task.addDependentTask(child);
      }
    }
    // It is told of the partitions that the rows have chosen.
    if (move.getFeedSubscribers() != null && move.getFeedSubscribers().remove(original)) {
      task.subscribeFeed(move);
    }
  }
}
