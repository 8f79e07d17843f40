package io.zerorename.hive;

import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hive.ql.exec.ConditionalTask;
import org.apache.hadoop.hive.ql.exec.Task;
import org.apache.hadoop.hive.ql.exec.TaskFactory;
import org.apache.hadoop.hive.ql.plan.ConditionalResolverSkewJoin.ConditionalResolverSkewJoinCtx;
import org.apache.hadoop.hive.ql.plan.DependencyCollectionWork;

/**
 * A task that does nothing, before all tasks behind a skew join. Hive makes the condition choose
 * between jobs for skewed keys and these tasks, which wait for those jobs too
 * (GenMRSkewJoinProcessor). A task that is not chosen is taken out of the order, and so are tasks
 * behind it that wait for no other (Task.removeFromChildrenTasks). With the gate to choose, all of
 * them keep their order, whatever is chosen.
 *
 * @param gate is chosen where no key is skewed
 */
record SkewJoinGate(
    ConditionalTask condition, ConditionalResolverSkewJoinCtx choice, Task<?> gate) {
  /** One for each skew join of a plan, put in an order that is applied later. */
  static List<SkewJoinGate> in(List<Task<?>> tasks, TaskOrder order) {
    List<SkewJoinGate> gates = new ArrayList<>();
    for (Task<?> task : tasks) {
      if (task instanceof ConditionalTask condition
          && condition.getResolverCtx() instanceof ConditionalResolverSkewJoinCtx choice
          && choice.getNoSkewTask() != null) {
        Task<?> gate = TaskFactory.get(new DependencyCollectionWork());
        choice.getNoSkewTask().forEach(behind -> order.add(gate, behind));
        gates.add(new SkewJoinGate(condition, choice, gate));
      }
    }
    return gates;
  }

  void apply() {
    List<Task<?>> listed = new ArrayList<>(condition.getListTasks());
    listed.removeAll(choice.getNoSkewTask());
    listed.add(gate);
    condition.setListTasks(listed);
    choice.setNoSkewTask(new ArrayList<>(List.of(gate)));
  }
}
