package io.zerorename.hive;

import io.zerorename.hive.commit.CommitTask;
import io.zerorename.hive.commit.CommitWork;
import io.zerorename.hive.commit.CommittedMoveTask;
import io.zerorename.hive.commit.CommittedStatsTask;
import io.zerorename.hive.metastore.CustomLocations;
import io.zerorename.hive.plan.PlannedInsert;
import io.zerorename.hive.plan.PlannedOutput;
import io.zerorename.hive.write.OutputSpec;
import io.zerorename.hive.write.PendingOutputFormat;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hive.ql.exec.MoveTask;
import org.apache.hadoop.hive.ql.exec.Task;
import org.apache.hadoop.hive.ql.exec.TaskFactory;
import org.apache.hadoop.hive.ql.plan.DynamicPartitionCtx;
import org.apache.hadoop.hive.ql.plan.FileSinkDesc;
import org.apache.hadoop.hive.ql.plan.LoadFileDesc;
import org.apache.hadoop.hive.ql.plan.LoadTableDesc;
import org.apache.hadoop.hive.ql.plan.LoadTableDesc.LoadFileType;
import org.apache.hadoop.hive.ql.plan.TableDesc;

/**
 * The change of one plan, in two phases: the constructor and {@link #order} compute all of it and
 * touch nothing of the plan; {@link #apply} only sets what was computed, and cannot fail half-way.
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
  private final List<Path> written;
  private final List<SinkRewrite> sinks;
  private final Optional<LoadTableDesc> load;
  private final Optional<LoadFileDesc> loadFile;
  private final CommitTask commit;
  private final MoveTask move;
  private final Optional<CommittedStatsTask> statistics;
  private final Optional<List<Task<?>>> subscribers;
  private final boolean countsNewPartitions;
  private final boolean sendsEvents;

  /**
   * @param jobId of this target
   * @param stagingRoot a directory of this execution on the scratch file system
   * @param workDir the directory in which the job's own will be
   * @param countsNewPartitions whether tasks must find out on S3 which partitions are new
   * @param sendsEvents whether Hive sends the metastore's listeners the files that it has added
   */
  PlanRewrite(
      PlannedInsert insert,
      String jobId,
      Path stagingRoot,
      Path workDir,
      boolean countsNewPartitions,
      boolean sendsEvents) {
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
            insert.locations().byPlace()::get);
    this.written = List.of(target.destination(), staging, workDir);
    this.sinks =
        insert.onScratch().isPresent()
            ? List.of()
            : target.sinks().stream()
                .map(sink -> rewrite(sink.desc(), output, insert.locations()))
                .toList();
    this.load = insert.load().map(original -> withoutMove(original, staging));
    this.loadFile = insert.loadFile().map(PlanRewrite::withoutMove);
    this.commit = new CommitTask();
    commit.setId("Stage-" + TaskFactory.getAndIncrementId());
    commit.setWork(
        new CommitWork(
            output,
            insert.onScratch(),
            insert.onScratch().isPresent() ? Set.of() : target.branches(),
            stagingRoot,
            Instant.now(),
            insert.target(),
            target.isDynamic() ? partitions.getDPColNames() : List.of(),
            insert.overwrites(),
            insert.staging(),
            insert.fixedPartition(),
            Set.copyOf(insert.locations().byPlace().values())));
    // There are none for a directory, which may be that of a new table.
    this.sendsEvents = sendsEvents && insert.load().isPresent();
    this.move = this.sendsEvents ? new CommittedMoveTask(commit, insert.move()) : insert.move();
    this.statistics = insert.statistics().map(original -> new CommittedStatsTask(commit, original));
    this.subscribers = statistics.flatMap(task -> subscribers(insert, task));
  }

  /** The tasks to which the move passes the partitions that the rows have chosen. */
  private static Optional<List<Task<?>>> subscribers(
      PlannedInsert insert, CommittedStatsTask statistics) {
    List<Task<?>> present = insert.move().getFeedSubscribers();
    if (present == null || !present.contains(insert.statistics().orElseThrow())) {
      return Optional.empty();
    }
    List<Task<?>> changed = new ArrayList<>(present);
    changed.remove(insert.statistics().get());
    changed.add(statistics);
    return Optional.of(changed);
  }

  private static SinkRewrite rewrite(FileSinkDesc sink, OutputSpec output, CustomLocations custom) {
    OutputSpec own = sink.isLinkedFileSink() ? output.ofBranch(PlannedOutput.branch(sink)) : output;
    return new SinkRewrite(
        sink,
        own.directory(),
        withPendingOutput(sink.getTableInfo(), own, custom),
        withRoot(sink.getDynPartCtx(), output.staging()));
  }

  private static TableDesc withPendingOutput(
      TableDesc original, OutputSpec output, CustomLocations custom) {
    Properties properties = output.addTo(original.getProperties(), custom);
    TableDesc copy =
        new TableDesc(original.getInputFileFormatClass(), PendingOutputFormat.class, properties);
    copy.setJobProperties(original.getJobProperties());
    copy.setJobSecrets(original.getJobSecrets());
    // A sink reads it when it is given the descriptor, and could fail there.
    copy.getBucketingVersion();
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

  /** Puts the commit between what writes and the move, in an order that is applied later. */
  void order(TaskOrder order) {
    for (Task<?> predecessor : order.parentsOf(insert.move())) {
      order.remove(predecessor, insert.move());
      order.add(predecessor, commit);
    }
    order.add(commit, move);
    if (sendsEvents) {
      replace(insert.move(), move, order);
    }
    statistics.ifPresent(task -> replace(insert.statistics().get(), task, order));
  }

  /**
   * Lets this commit wait until an earlier target of the statement is at its end, metastore and
   * statistics included, as Hive ends one after the other. To be called after both were put in
   * order.
   */
  void follow(PlanRewrite earlier, TaskOrder order) {
    // Not the move itself: it checks whether its only child is a statistics task.
    List<Task<?>> children = order.childrenOf(earlier.move);
    Task<?> last = children.size() == 1 ? children.get(0) : earlier.move;
    if (!order.waits(last, commit)) {
      order.add(last, commit);
      commit.follow(earlier.commit);
    }
  }

  private static void replace(Task<?> original, Task<?> task, TaskOrder order) {
    // On MR it also waits for a job that counts the values of columns.
    for (Task<?> parent : order.parentsOf(original)) {
      order.remove(parent, original);
      order.add(parent, task);
    }
    for (Task<?> child : order.childrenOf(original)) {
      order.remove(original, child);
      order.add(task, child);
    }
  }

  /** Paths on all file systems that tasks write to. */
  List<Path> written() {
    return written;
  }

  /**
   * Changes the plan but for the order of its tasks. Nothing but assignments, so that no failure
   * can leave half of a change behind.
   *
   * @param ofJobs what the sinks set in the jobs that run them
   */
  void apply(Map<String, String> ofJobs) {
    for (SinkRewrite rewrite : sinks) {
      FileSinkDesc sink = rewrite.sink();
      if (!ofJobs.isEmpty()) {
        Map<String, String> properties = new HashMap<>(ofJobs);
        if (rewrite.table().getJobProperties() != null) {
          rewrite.table().getJobProperties().forEach(properties::putIfAbsent);
        }
        rewrite.table().setJobProperties(properties);
      }
      sink.setDirName(rewrite.directory());
      sink.setTableInfo(rewrite.table());
      sink.setDynPartCtx(rewrite.partitions());
      if (insert.output().isDynamic() && !countsNewPartitions) {
        // Otherwise each writer checks for its partition on S3. The LoadTableDesc says whether old
        // files are replaced. Besides, MapReduce runs a task for an empty input by this.
        sink.setInsertOverwrite(true);
      }
    }
    load.ifPresent(insert.move().getWork()::setLoadTableWork);
    loadFile.ifPresent(insert.move().getWork()::setLoadFileWork);
    subscribers.ifPresent(move::setFeedSubscribers);
  }
}
