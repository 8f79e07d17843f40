package io.zerorename.hive.commit;

import static java.util.Objects.requireNonNull;

import io.zerorename.hive.metastore.InsertEvents;
import java.util.Optional;
import org.apache.hadoop.hive.conf.HiveConf;
import org.apache.hadoop.hive.conf.HiveConf.ConfVars;
import org.apache.hadoop.hive.ql.exec.MoveTask;
import org.apache.hadoop.hive.ql.metadata.HiveException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hive's task where {@code hive.metastore.dml.events} is on. As it moves nothing, it would send
 * events of inserts without files that replace nothing. This task suppresses those, and sends what
 * the commit has added when Hive would: for a partition before it is altered, for a table after
 * that. Hive does not run it beside other tasks that move.
 */
public final class CommittedMoveTask extends MoveTask {
  private static final long serialVersionUID = 1L;
  private static final Logger MOVE_LOG = LoggerFactory.getLogger(CommittedMoveTask.class);

  private final transient CommitTask commit;

  /** Does the work of Hive's task, under its name. */
  public CommittedMoveTask(CommitTask commit, MoveTask original) {
    this.commit = requireNonNull(commit, "commit");
    setId(original.getId());
    setWork(original.getWork());
    setFetchSource(original.isFetchSource());
    setFeedSubscribers(original.getFeedSubscribers());
  }

  @Override
  public int execute() {
    if (context.getExplainAnalyze() != null) {
      return super.execute();
    }
    try {
      Optional<InsertEvents> events = commit.committed().flatMap(CommittedInsert::events);
      if (events.filter(InsertEvents::arePartitions).isPresent()) {
        events.get().send(getHive());
      }
      int result = executeWithoutEvents();
      if (result == 0 && events.filter(it -> !it.arePartitions()).isPresent()) {
        events.get().send(getHive());
      }
      return result;
    } catch (HiveException e) {
      MOVE_LOG.error("ZR-5207: The metastore cannot send the events of this INSERT", e);
      console.printError("zero-rename: " + e.getMessage());
      setException(e);
      return 1;
    }
  }

  private int executeWithoutEvents() throws HiveException {
    HiveConf settings = getHive().getConf();
    settings.setBoolVar(ConfVars.FIRE_EVENTS_FOR_DML, false);
    try {
      return super.execute();
    } finally {
      settings.setBoolVar(ConfVars.FIRE_EVENTS_FOR_DML, true);
    }
  }
}
