package io.zerorename.hive.plan;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.hive.ql.exec.ConditionalTask;
import org.apache.hadoop.hive.ql.exec.FileSinkOperator;
import org.apache.hadoop.hive.ql.exec.Operator;
import org.apache.hadoop.hive.ql.exec.OperatorUtils;
import org.apache.hadoop.hive.ql.exec.Task;
import org.apache.hadoop.hive.ql.plan.BaseWork;
import org.apache.hadoop.hive.ql.plan.FileSinkDesc;
import org.apache.hadoop.hive.ql.plan.MapredWork;
import org.apache.hadoop.hive.ql.plan.TezWork;

/** Walks through the tasks of a plan. */
public final class PlanTasks {
  private PlanTasks() {}

  /** Every task once, in the order in which they may run, those of conditional tasks included. */
  public static List<Task<?>> all(List<Task<?>> rootTasks) {
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

  /** The tasks behind which none runs; of a conditional task those of its branches. */
  public static List<Task<?>> leaves(List<Task<?>> rootTasks) {
    return all(rootTasks).stream()
        .filter(task -> !(task instanceof ConditionalTask))
        .filter(task -> task.getChildTasks() == null || task.getChildTasks().isEmpty())
        .toList();
  }

  /** The file sinks that a task runs. */
  static List<FileSinkDesc> sinksOf(Task<?> task) {
    List<BaseWork> works = new ArrayList<>();
    if (task.getWork() instanceof TezWork work) {
      works.addAll(work.getAllWork());
    } else if (task.getWork() instanceof MapredWork work) {
      works.add(work.getMapWork());
      if (work.getReduceWork() != null) {
        works.add(work.getReduceWork());
      }
    }
    Set<FileSinkOperator> sinks = new LinkedHashSet<>();
    for (BaseWork work : works) {
      for (Operator<?> root : work.getAllRootOperators()) {
        sinks.addAll(OperatorUtils.findOperators(root, FileSinkOperator.class));
      }
    }
    return sinks.stream().map(FileSinkOperator::getConf).toList();
  }
}
