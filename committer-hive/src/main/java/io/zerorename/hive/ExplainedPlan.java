package io.zerorename.hive;

import static java.util.Objects.requireNonNull;

import io.zerorename.hive.fallback.Fallback;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.hive.ql.exec.ExplainTask;
import org.apache.hadoop.hive.ql.exec.Task;
import org.apache.hadoop.hive.ql.exec.TaskFactory;
import org.apache.hadoop.hive.ql.plan.ExplainWork;

/** The plan that an EXPLAIN shows and does not run. */
record ExplainedPlan(ExplainWork work) {
  ExplainedPlan {
    requireNonNull(work, "work");
  }

  /** Empty where the tasks do what the statement says. */
  static Optional<ExplainedPlan> in(List<Task<?>> rootTasks) {
    return rootTasks.stream()
        .filter(ExplainTask.class::isInstance)
        .findFirst()
        .map(task -> new ExplainedPlan(((ExplainTask) task).getWork()));
  }

  /** The tasks that are shown; none where the statement would do nothing. */
  List<Task<?>> rootTasks() {
    return work.getRootTasks() == null ? List.of() : work.getRootTasks();
  }

  /**
   * Shows a stage more, which would not be run, with the reason of a fallback.
   *
   * @param outlook what would become of the statement, or ""
   */
  void show(Fallback fallback, String outlook) {
    FallbackNote note = new FallbackNote();
    note.setId("Stage-" + TaskFactory.getAndIncrementId());
    note.setWork(new FallbackNoteWork(fallback.reason().name(), fallback.sentence() + outlook));
    List<Task<?>> tasks = new ArrayList<>(rootTasks());
    tasks.add(note);
    work.setRootTasks(tasks);
  }
}
