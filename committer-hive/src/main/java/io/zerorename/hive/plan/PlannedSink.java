package io.zerorename.hive.plan;

import static java.util.Objects.requireNonNull;

import org.apache.hadoop.hive.ql.exec.FileSinkOperator;
import org.apache.hadoop.hive.ql.exec.Task;
import org.apache.hadoop.hive.ql.plan.FileSinkDesc;

/** A file sink of a plan and the task that runs it. */
public record PlannedSink(Task<?> task, FileSinkOperator operator) {
  public PlannedSink {
    requireNonNull(task, "task");
    requireNonNull(operator, "operator");
  }

  public FileSinkDesc desc() {
    return operator.getConf();
  }
}
