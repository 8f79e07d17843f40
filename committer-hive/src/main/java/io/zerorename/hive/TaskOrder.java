package io.zerorename.hive;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.hive.ql.exec.Task;

/**
 * Which task of a plan waits for which, as it will be. Changes are made to copies, and the plan has
 * them with {@link #apply}, which only sets what is known by then.
 */
final class TaskOrder {
  private final IdentityHashMap<Task<?>, List<Task<?>>> children = new IdentityHashMap<>();
  private final IdentityHashMap<Task<?>, List<Task<?>>> parents = new IdentityHashMap<>();

  /** The tasks that wait for one, as it will be. */
  List<Task<?>> childrenOf(Task<?> task) {
    return List.copyOf(children.getOrDefault(task, present(task.getChildTasks())));
  }

  /** The tasks that one waits for, as it will be. */
  List<Task<?>> parentsOf(Task<?> task) {
    return List.copyOf(parents.getOrDefault(task, present(task.getParentTasks())));
  }

  private static List<Task<?>> present(List<Task<?>> tasks) {
    return tasks == null ? List.of() : tasks;
  }

  /** Lets a task wait for another. */
  void add(Task<?> before, Task<?> after) {
    addTo(children, before, childrenOf(before), after);
    addTo(parents, after, parentsOf(after), before);
  }

  private static void addTo(
      IdentityHashMap<Task<?>, List<Task<?>>> all,
      Task<?> of,
      List<Task<?>> present,
      Task<?> added) {
    List<Task<?>> tasks = new ArrayList<>(present);
    if (!tasks.contains(added)) {
      tasks.add(added);
    }
    all.put(of, tasks);
  }

  /** Lets a task wait for another no more. */
  void remove(Task<?> before, Task<?> after) {
    removeFrom(children, before, childrenOf(before), after);
    removeFrom(parents, after, parentsOf(after), before);
  }

  private static void removeFrom(
      IdentityHashMap<Task<?>, List<Task<?>>> all,
      Task<?> of,
      List<Task<?>> present,
      Task<?> removed) {
    List<Task<?>> tasks = new ArrayList<>(present);
    tasks.remove(removed);
    all.put(of, tasks);
  }

  /** Whether a task waits for another, or for one that does, or is that task. */
  boolean waits(Task<?> task, Task<?> other) {
    Set<Task<?>> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    Deque<Task<?>> open = new ArrayDeque<>(List.of(other));
    while (!open.isEmpty()) {
      Task<?> next = open.removeFirst();
      if (next.equals(task)) {
        return true;
      }
      if (seen.add(next)) {
        open.addAll(childrenOf(next));
      }
    }
    return false;
  }

  /** Changes the plan. */
  void apply() {
    for (Map.Entry<Task<?>, List<Task<?>>> entry : children.entrySet()) {
      entry.getKey().setChildTasks(entry.getValue());
    }
    for (Map.Entry<Task<?>, List<Task<?>>> entry : parents.entrySet()) {
      entry.getKey().setParentTasks(entry.getValue());
    }
  }
}
