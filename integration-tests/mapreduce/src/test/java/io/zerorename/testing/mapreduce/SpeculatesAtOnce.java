package io.zerorename.testing.mapreduce;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapreduce.v2.api.records.TaskId;
import org.apache.hadoop.mapreduce.v2.app.AppContext;
import org.apache.hadoop.mapreduce.v2.app.job.event.TaskAttemptStatusUpdateEvent.TaskAttemptStatus;
import org.apache.hadoop.mapreduce.v2.app.job.event.TaskEvent;
import org.apache.hadoop.mapreduce.v2.app.job.event.TaskEventType;
import org.apache.hadoop.mapreduce.v2.app.speculate.Speculator;
import org.apache.hadoop.mapreduce.v2.app.speculate.SpeculatorEvent;

/** Finds each task too slow as soon as its first attempt says that it is half-way. */
public final class SpeculatesAtOnce implements Speculator {
  private final AppContext context;
  private final Set<TaskId> speculated = ConcurrentHashMap.newKeySet();

  /** For the AM. */
  public SpeculatesAtOnce(Configuration conf, AppContext context) {
    this.context = context;
  }

  @Override
  public void handle(SpeculatorEvent event) {
    if (event.getType() == EventType.ATTEMPT_STATUS_UPDATE) {
      handleAttempt(event.getReportedStatus());
    }
  }

  @Override
  @SuppressWarnings("unchecked")
  public void handleAttempt(TaskAttemptStatus status) {
    TaskId task = status.id.getTaskId();
    if (status.progress > 0 && speculated.add(task)) {
      context.getEventHandler().handle(new TaskEvent(task, TaskEventType.T_ADD_SPEC_ATTEMPT));
    }
  }
}
