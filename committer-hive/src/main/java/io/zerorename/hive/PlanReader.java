package io.zerorename.hive;

import io.zerorename.core.config.S3AFileSystems;
import io.zerorename.core.store.ObjectKeys;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hive.ql.exec.ConditionalTask;
import org.apache.hadoop.hive.ql.exec.DependencyCollectionTask;
import org.apache.hadoop.hive.ql.exec.FileSinkOperator;
import org.apache.hadoop.hive.ql.exec.MoveTask;
import org.apache.hadoop.hive.ql.exec.Operator;
import org.apache.hadoop.hive.ql.exec.OperatorUtils;
import org.apache.hadoop.hive.ql.exec.StatsTask;
import org.apache.hadoop.hive.ql.exec.Task;
import org.apache.hadoop.hive.ql.plan.BaseWork;
import org.apache.hadoop.hive.ql.plan.DynamicPartitionCtx;
import org.apache.hadoop.hive.ql.plan.FileSinkDesc;
import org.apache.hadoop.hive.ql.plan.MapredWork;
import org.apache.hadoop.hive.ql.plan.TezWork;

/** Reads a finished plan and changes nothing in it. */
final class PlanReader {
  /** A sink and the task that runs it. */
  private record Sink(Task<?> task, FileSinkOperator operator) {
    FileSinkDesc desc() {
      return operator.getConf();
    }
  }

  private final List<Task<?>> tasks;
  private final List<Sink> sinksToS3;

  PlanReader(List<Task<?>> rootTasks, Configuration configuration) throws IOException {
    this.tasks = allTasks(rootTasks);
    this.sinksToS3 = new ArrayList<>();
    for (Task<?> task : tasks) {
      for (FileSinkOperator operator : sinksOf(task)) {
        FileSinkDesc desc = operator.getConf();
        if (desc.getDestPath() != null
            && !desc.getIsQuery()
            && S3AFileSystems.holds(desc.getDestPath(), configuration)) {
          sinksToS3.add(new Sink(task, operator));
        }
      }
    }
  }

  /** Whether the statement puts files into a place on S3A that outlives it. */
  boolean writesToS3() {
    return !sinksToS3.isEmpty();
  }

  /** All that puts files there. */
  List<FileSinkDesc> sinks() {
    return sinksToS3.stream().map(Sink::desc).toList();
  }

  /** What the statement writes to, for messages: a table's name or a path. */
  String target() {
    FileSinkDesc desc = sinksToS3.get(0).desc();
    return desc.getTable() != null
        ? desc.getTable().getFullyQualifiedName()
        : String.valueOf(desc.getDestPath());
  }

  /** The bucket that the statement writes to; of several, that of its first sink. */
  String bucket() {
    return ObjectKeys.bucketOf(sinksToS3.get(0).desc().getDestPath());
  }

  /**
   * The plan's INSERT.
   *
   * @throws NotEligible where the plan is more than one INSERT from one task
   */
  PlannedInsert insert() throws NotEligible {
    if (tasks.stream().anyMatch(ConditionalTask.class::isInstance)) {
      throw new NotEligible(FallbackReason.CONDITIONAL_TASK);
    }
    if (sinksToS3.stream().anyMatch(sink -> sink.desc().isLinkedFileSink())) {
      throw new NotEligible(FallbackReason.UNION);
    }
    if (sinksToS3.size() > 1) {
      throw new NotEligible(FallbackReason.MULTI_INSERT);
    }
    Sink sink = sinksToS3.get(0);
    List<MoveTask> moves = new ArrayList<>();
    for (Task<?> task : tasks) {
      if (task instanceof MoveTask move && movesOutputOf(move, sink.desc().getDirName())) {
        moves.add(move);
      }
    }
    if (moves.size() != 1) {
      throw new NotEligible(FallbackReason.PLAN_SHAPE, moves.size() + " tasks move the output");
    }
    if (tasks.stream().filter(PlanReader::loadsTable).count() > 1) {
      throw new NotEligible(FallbackReason.MULTI_INSERT);
    }
    MoveTask move = moves.get(0);
    if (move.getWork().getLoadTableWork() == null
        || move.getWork().getLoadFileWork() != null
        || move.getWork().getLoadMultiFilesWork() != null) {
      throw new NotEligible(FallbackReason.STATEMENT);
    }
    return new PlannedInsert(
        sink.operator(),
        predecessor(move, sink.task()),
        move,
        statisticsAfter(move),
        stagesAlone(sink.desc()) ? Optional.of(staging(sink.desc())) : Optional.empty(),
        CustomLocations.none());
  }

  private static Optional<StatsTask> statisticsAfter(MoveTask move) {
    List<Task<?>> children = move.getChildTasks();
    if (children == null
        || children.size() != 1
        || !(children.get(0) instanceof StatsTask task)
        || !task.getClass().equals(StatsTask.class)
        || task.getWork().isFooterScan()
        || task.getWork().getBasicStatsWork() == null
        || task.getWork().getBasicStatsWork().getLoadTableDesc() == null) {
      return Optional.empty();
    }
    return Optional.of(task);
  }

  /** Hive's directory of which the sink's is a part, with or without that of a static partition. */
  private static Path staging(FileSinkDesc sink) {
    Path directory = sink.getDirName();
    DynamicPartitionCtx partitions = sink.getDynPartCtx();
    if (partitions != null && partitions.getSPPath() != null) {
      Path fixed = new Path(partitions.getSPPath());
      if (directory.toString().endsWith(Path.SEPARATOR + fixed)) {
        for (int i = 0; i < fixed.depth(); i++) {
          directory = directory.getParent();
        }
      }
    }
    return directory.getParent();
  }

  private boolean stagesAlone(FileSinkDesc sink) {
    Path staging = staging(sink);
    List<Path> others = new ArrayList<>();
    for (Task<?> task : tasks) {
      for (FileSinkOperator operator : sinksOf(task)) {
        if (!operator.getConf().equals(sink)) {
          others.add(operator.getConf().getDirName());
        }
        if (operator.getConf().getTmpStatsDir() != null) {
          others.add(new Path(operator.getConf().getTmpStatsDir()));
        }
      }
    }
    return others.stream().noneMatch(other -> ObjectKeys.isAtOrBelow(other, staging));
  }

  /**
   * The only task that the move waits for: the one that writes, or, as on Tez, a task that does
   * nothing but wait for it and for others.
   */
  private static Task<?> predecessor(MoveTask move, Task<?> writer) throws NotEligible {
    List<Task<?>> parents = move.getParentTasks();
    if (parents != null && parents.size() == 1) {
      Task<?> parent = parents.get(0);
      if (parent.equals(writer)
          || (parent instanceof DependencyCollectionTask
              && parent.getParentTasks() != null
              && parent.getParentTasks().contains(writer))) {
        return parent;
      }
    }
    throw new NotEligible(
        FallbackReason.PLAN_SHAPE, "the task that moves does not follow the one that writes");
  }

  private static boolean loadsTable(Task<?> task) {
    return task instanceof MoveTask move && move.getWork().getLoadTableWork() != null;
  }

  private static boolean movesOutputOf(MoveTask move, Path staging) {
    return (move.getWork().getLoadTableWork() != null
            && staging.equals(move.getWork().getLoadTableWork().getSourcePath()))
        || (move.getWork().getLoadFileWork() != null
            && staging.equals(move.getWork().getLoadFileWork().getSourcePath()));
  }

  /** Every task once, in the order in which they may run, those of conditional tasks included. */
  static List<Task<?>> allTasks(List<Task<?>> rootTasks) {
    Set<Task<?>> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    List<Task<?>> result = new ArrayList<>();
    Deque<Task<?>> open = new ArrayDeque<>(rootTasks);
    while (!open.isEmpty()) {
      Task<?> task = open.removeFirst();
      if (!seen.add(task)) {
        continue;
      }
      result.add(task);
      if (task.getDependentTasks() != null) {
        open.addAll(task.getDependentTasks());
      }
      // A ConditionalTask names its branches as dependents, and not what comes after it.
      if (task.getChildTasks() != null) {
        open.addAll(task.getChildTasks());
      }
    }
    return result;
  }

  private static List<FileSinkOperator> sinksOf(Task<?> task) {
    List<BaseWork> works = new ArrayList<>();
    if (task.getWork() instanceof TezWork work) {
      works.addAll(work.getAllWork());
    } else if (task.getWork() instanceof MapredWork work) {
      works.add(work.getMapWork());
      if (work.getReduceWork() != null) {
        works.add(work.getReduceWork());
      }
    }
    Set<FileSinkOperator> sinks = Collections.newSetFromMap(new IdentityHashMap<>());
    for (BaseWork work : works) {
      for (Operator<?> root : work.getAllRootOperators()) {
        sinks.addAll(OperatorUtils.findOperators(root, FileSinkOperator.class));
      }
    }
    return List.copyOf(sinks);
  }
}
