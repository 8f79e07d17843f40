package io.zerorename.hive;

import io.zerorename.hive.commit.CommitTask;
import io.zerorename.hive.commit.CommitWork;
import io.zerorename.hive.commit.CommittedMoveTask;
import io.zerorename.hive.commit.CommittedStatsTask;
import io.zerorename.hive.plan.PlanTasks;
import io.zerorename.hive.plan.PlannedInsert;
import io.zerorename.hive.plan.PlannedOutput;
import io.zerorename.hive.plan.SinkCounters;
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
import java.util.function.BiConsumer;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hive.ql.exec.Task;
import org.apache.hadoop.hive.ql.exec.TaskFactory;
import org.apache.hadoop.hive.ql.plan.DynamicPartitionCtx;
import org.apache.hadoop.hive.ql.plan.FileSinkDesc;
import org.apache.hadoop.hive.ql.plan.TableDesc;

/**
 * The change of one plan, in two phases: the constructor computes all of it and touches nothing of
 * the plan; {@link #apply} only sets what was computed, and cannot fail half-way.
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
  private final CommitTask commit;
  private final CommittedMoveTask move;
  private final Optional<CommittedStatsTask> statistics;
  private final boolean countsNewPartitions;

  /**
   * @param jobId of this target
   * @param stagingRoot a directory of this execution on the scratch file system
   * @param workDir the directory in which the job's own will be
   * @param countsNewPartitions whether tasks must find out on S3 which partitions are new
   */
  PlanRewrite(
      PlannedInsert insert,
      String jobId,
      Path stagingRoot,
      Path workDir,
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
            workDir);
    this.written = List.of(target.destination(), staging, workDir);
    this.sinks =
        insert.onScratch().isPresent()
            ? List.of()
            : target.sinks().stream().map(sink -> rewrite(sink.desc(), output)).toList();
    this.commit = new CommitTask(conf -> SinkCounters.haveRows(target, conf));
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
            target.overwrites(),
            insert.staging(),
            insert.fixedPartition()));
    this.statistics = insert.statistics().map(original -> new CommittedStatsTask(commit, original));
    this.move = new CommittedMoveTask(commit, insert.move(), subscribers());
  }

  /** The tasks to which the move passes the partitions that the rows have chosen; null for none. */
  private List<Task<?>> subscribers() {
    List<Task<?>> present = insert.move().getFeedSubscribers();
    if (present == null || statistics.isEmpty()) {
      return present;
    }
    List<Task<?>> changed = new ArrayList<>(present);
    changed.replaceAll(it -> it.equals(insert.statistics().get()) ? statistics.get() : it);
    return changed;
  }

  private static SinkRewrite rewrite(FileSinkDesc sink, OutputSpec output) {
    OutputSpec own = sink.isLinkedFileSink() ? output.ofBranch(PlannedOutput.branch(sink)) : output;
    return new SinkRewrite(
        sink,
        own.directory(),
        withPendingOutput(sink.getTableInfo(), own),
        withRoot(sink.getDynPartCtx(), output.staging()));
  }

  private static TableDesc withPendingOutput(TableDesc original, OutputSpec output) {
    Properties properties = output.addTo(original.getProperties());
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

  /** Puts the commit between what writes and the move. */
  private void order() {
    replaceBeforeParents(insert.move(), commit);
    link(commit, move);
    replaceBeforeChildren(insert.move(), move);
    if (statistics.isPresent()) {
      // On MR it also waits for a job that counts the values of columns.
      replaceBeforeParents(insert.statistics().get(), statistics.get());
      replaceBeforeChildren(insert.statistics().get(), statistics.get());
    }
  }

  /**
   * Lets this commit wait until an earlier target of the statement is at its end, metastore and
   * statistics included, as Hive ends one after the other. To be called after both were applied.
   */
  void follow(PlanRewrite earlier) {
    // Not the move itself: it checks whether its only child is a statistics task.
    List<Task<?>> children = tasks(earlier.move.getChildTasks());
    Task<?> last = children.size() == 1 ? children.get(0) : earlier.move;
    if (!PlanTasks.all(List.of(commit)).contains(last)) {
      link(last, commit);
      commit.follow(earlier.commit);
    }
  }

  private static void replaceBeforeParents(Task<?> original, Task<?> task) {
    for (Task<?> parent : tasks(original.getParentTasks())) {
      unlink(parent, original);
      link(parent, task);
    }
  }

  private static void replaceBeforeChildren(Task<?> original, Task<?> task) {
    for (Task<?> child : tasks(original.getChildTasks())) {
      unlink(original, child);
      link(task, child);
    }
  }

  /** In copies of the lists, because Hive gives the branches of a condition one in common. */
  private static void change(
      Task<?> before, Task<?> after, BiConsumer<List<Task<?>>, Task<?>> change) {
    List<Task<?>> children = tasks(before.getChildTasks());
    change.accept(children, after);
    before.setChildTasks(children);
    List<Task<?>> parents = tasks(after.getParentTasks());
    change.accept(parents, before);
    after.setParentTasks(parents);
  }

  private static void link(Task<?> before, Task<?> after) {
    change(before, after, List::add);
  }

  private static void unlink(Task<?> before, Task<?> after) {
    change(before, after, List::remove);
  }

  private static List<Task<?>> tasks(List<Task<?>> present) {
    return present == null ? new ArrayList<>() : new ArrayList<>(present);
  }

  /** Paths on all file systems that tasks write to. */
  List<Path> written() {
    return written;
  }

  /**
   * Changes the plan. Nothing but assignments, so that no failure can leave half of a change
   * behind.
   *
   * @param ofJobs what the sinks set in the jobs that run them
   */
  void apply(Map<String, String> ofJobs) {
    order();
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
  }
}
