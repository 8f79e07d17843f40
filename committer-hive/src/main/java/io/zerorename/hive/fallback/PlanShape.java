package io.zerorename.hive.fallback;

import io.zerorename.core.config.S3AFileSystems;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.hive.config.HiveKeys;
import io.zerorename.hive.config.HiveKeys.OptIn;
import io.zerorename.hive.metastore.InsertTarget;
import io.zerorename.hive.plan.PlanReader;
import io.zerorename.hive.plan.PlanTasks;
import io.zerorename.hive.plan.PlannedInsert;
import io.zerorename.hive.plan.PlannedOutput;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.function.BiPredicate;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hive.conf.HiveConf;
import org.apache.hadoop.hive.ql.ddl.DDLTask;
import org.apache.hadoop.hive.ql.exec.ConditionalTask;
import org.apache.hadoop.hive.ql.exec.DependencyCollectionTask;
import org.apache.hadoop.hive.ql.exec.MoveTask;
import org.apache.hadoop.hive.ql.exec.Task;
import org.apache.hadoop.hive.ql.metadata.Table;
import org.apache.hadoop.hive.ql.plan.ConditionalResolverSkewJoin;
import org.apache.hadoop.hive.ql.plan.MoveWork;
import org.apache.hadoop.hive.ql.plan.TezWork;

/** The rules about the tasks of a plan: between which of them a commit can be put. */
record PlanShape(PlanReader plan, PlannedOutput output, HiveConf conf) {
  /** The INSERT that writes the output. */
  PlannedInsert check() throws Fallback {
    if (output.table().filter(Table::isNonNative).isPresent()) {
      // No task moves what its handler writes.
      throw new Fallback(FallbackReason.STORAGE_HANDLER);
    }
    checkUnion();
    List<ConditionalTask> conditionals =
        plan.tasks().stream()
            .filter(ConditionalTask.class::isInstance)
            .map(ConditionalTask.class::cast)
            .toList();
    for (ConditionalTask task : conditionals) {
      checkConditional(task);
    }
    boolean onScratch = !conditionals.isEmpty();
    if (!onScratch) {
      checkSinks();
    }
    MoveTask move = move();
    checkOverlaps();
    if (onScratch) {
      checkMergedBefore(move);
    } else {
      checkPredecessors(move);
    }
    return new PlannedInsert(
        output,
        target(),
        move,
        PlanReader.statisticsAfter(move),
        plan.stagingUsedOnlyBy(output),
        onScratch ? Optional.of(output.staged()) : Optional.empty());
  }

  /** Of such a plan Hive must do everything but the move, on a file system that renames. */
  private void checkConditional(ConditionalTask task) throws Fallback {
    String reason;
    if (HiveKeys.MERGE.from(conf) != OptIn.COMMIT) {
      reason = "";
    } else if (task.getResolver() instanceof ConditionalResolverSkewJoin) {
      // It takes tasks behind it out of the order, the commit too (Task.removeFromChildrenTasks).
      reason = "and hive.optimize.skewjoin is true";
    } else if (isOnS3A(output.staged())) {
      reason = "and the files are staged at " + output.staged();
    } else {
      return;
    }
    throw new Fallback(FallbackReason.CONDITIONAL_TASK, reason);
  }

  /** A commit that a condition may choose, or not, would have to wait for one. */
  private void checkMergedBefore(MoveTask move) throws Fallback {
    for (Task<?> task : plan.tasks()) {
      if (task instanceof ConditionalTask conditional
          && conditional.getListTasks().contains(move)) {
        throw new Fallback(FallbackReason.PLAN_SHAPE, "a condition decides about the move");
      }
    }
    checkFollows(move, (parent, writer) -> PlanTasks.all(List.of(writer)).contains(parent));
  }

  private void checkFollows(MoveTask move, BiPredicate<Task<?>, Task<?>> follows) throws Fallback {
    for (PlannedOutput.Sink sink : output.sinks()) {
      if (parents(move).stream().noneMatch(parent -> follows.test(parent, sink.task()))) {
        throw new Fallback(
            FallbackReason.PLAN_SHAPE, "the task that moves does not follow the one that writes");
      }
    }
  }

  private boolean isOnS3A(Path path) throws Fallback {
    try {
      return S3AFileSystems.holds(path, conf);
    } catch (IOException e) {
      throw new Fallback(FallbackReason.PLAN_SHAPE, path + ": " + e.getMessage());
    }
  }

  private void checkUnion() throws Fallback {
    if (output.sinks().stream()
        .anyMatch(
            sink ->
                sink.desc().isLinkedFileSink() && !(sink.task().getWork() instanceof TezWork))) {
      throw new Fallback(FallbackReason.UNION);
    }
  }

  private void checkSinks() throws Fallback {
    List<PlannedOutput.Sink> sinks = output.sinks();
    if (sinks.stream().map(sink -> sink.desc().getDirName()).distinct().count() < sinks.size()) {
      throw new Fallback(FallbackReason.PLAN_SHAPE, "several sinks write to one directory");
    }
  }

  private MoveTask move() throws Fallback {
    if (output.moves().size() != 1) {
      throw new Fallback(
          FallbackReason.PLAN_SHAPE, output.moves().size() + " tasks move the output");
    }
    MoveTask move = output.moves().get(0);
    MoveWork work = move.getWork();
    boolean loadsTable = work.getLoadTableWork() != null;
    boolean loadsFile = work.getLoadFileWork() != null;
    if (loadsTable == loadsFile || work.getLoadMultiFilesWork() != null) {
      throw new Fallback(FallbackReason.PLAN_SHAPE, "a task moves several outputs");
    }
    return move;
  }

  /** Which files of overlapping targets survive depends on the order of Hive's moves. */
  private void checkOverlaps() throws Fallback {
    for (PlannedOutput other : plan.outputs()) {
      if (!other.equals(output) && other.overlaps(output)) {
        throw new Fallback(FallbackReason.MULTI_INSERT, other.destination().toString());
      }
    }
  }

  private InsertTarget target() throws Fallback {
    boolean isNewTable = output.desc().isCTASorCM();
    if ((output.table().isEmpty() || isNewTable)
        && ObjectKeys.prefixOf(output.destination()).isEmpty()) {
      throw new Fallback(FallbackReason.STATEMENT, "it would replace a whole bucket");
    }
    if (output.table().isEmpty()) {
      if (output.loadFile().isEmpty() || output.isDynamic() || isNewTable) {
        throw new Fallback(FallbackReason.STATEMENT);
      }
      return InsertTarget.directory(output.destination());
    }
    Table table = output.table().get();
    if (!isNewTable) {
      return InsertTarget.table(table);
    }
    if (output.loadFile().isEmpty() && table.getPath() == null) {
      throw new Fallback(FallbackReason.STATEMENT, "the new table has no location yet");
    }
    return InsertTarget.newTable(table, output.destination());
  }

  /**
   * The move may wait for tasks that write, or, as on Tez, for a task that only waits for them and
   * for others, or for the one that creates a partitioned table.
   */
  private void checkPredecessors(MoveTask move) throws Fallback {
    checkFollows(move, PlanShape::waitsFor);
    for (Task<?> parent : parents(move)) {
      if (output.sinks().stream().noneMatch(sink -> waitsFor(parent, sink.task()))) {
        throw new Fallback(
            FallbackReason.PLAN_SHAPE, "the task that moves waits for another that does not write");
      }
    }
  }

  private static List<Task<?>> parents(MoveTask move) {
    return move.getParentTasks() == null ? List.of() : move.getParentTasks();
  }

  private static boolean waitsFor(Task<?> task, Task<?> writer) {
    return task.equals(writer)
        || ((task instanceof DependencyCollectionTask || task instanceof DDLTask)
            && task.getParentTasks() != null
            && task.getParentTasks().stream().anyMatch(parent -> waitsFor(parent, writer)));
  }
}
