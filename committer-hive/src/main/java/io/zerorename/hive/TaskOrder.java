package io.zerorename.hive;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.hive.ql.exec.Task;

/**
 * Which task of a plan waits for which, as it will be. Changes are made to copies, and {@link
 * #apply} only sets what is computed by then.
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
    remove(before, after);
    children.get(before).add(after);
    parents.get(after).add(before);
  }

  /** Lets a task wait for another no more. */
  void remove(Task<?> before, Task<?> after) {
    children.computeIfAbsent(before, it -> new ArrayList<>(childrenOf(it))).remove(after);
    parents.computeIfAbsent(after, it -> new ArrayList<>(parentsOf(it))).remove(before);
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
    children.forEach(Task::setChildTasks);
    parents.forEach(Task::setParentTasks);
  }
}
