package io.zerorename.hive;

import static java.util.Objects.requireNonNull;

import org.apache.hadoop.hive.ql.exec.FileSinkOperator;
import org.apache.hadoop.hive.ql.exec.Task;
import org.apache.hadoop.hive.ql.plan.FileSinkDesc;

/** A file sink of a plan and the task that runs it. */
record PlannedSink(Task<?> task, FileSinkOperator operator) {
  PlannedSink {
    requireNonNull(task, "task");
    requireNonNull(operator, "operator");
  }

  FileSinkDesc desc() {
    return operator.getConf();
  }
}
