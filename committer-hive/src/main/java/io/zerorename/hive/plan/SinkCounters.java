package io.zerorename.hive.plan;

import java.util.Locale;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hive.ql.MapRedStats;
import org.apache.hadoop.hive.ql.exec.FileSinkOperator;
import org.apache.hadoop.hive.ql.exec.Task;
import org.apache.hadoop.hive.ql.exec.tez.TezTask;
import org.apache.hadoop.hive.ql.plan.FileSinkDesc;
import org.apache.hadoop.hive.ql.session.SessionState;
import org.apache.tez.common.counters.TezCounter;

/** The rows of Hive's file sinks, as the attempts that it has chosen have counted them. */
public final class SinkCounters {
  private SinkCounters() {}

  /** Whether rows were written for an output. Without counters none were, as far as is known. */
  public static boolean haveRows(PlannedOutput output, Configuration conf) {
    String group = conf.get("hive.counters.group.name", "HIVE");
    return output.sinks().stream()
        .anyMatch(sink -> rows(sink.task(), group, name(sink.desc())) > 0);
  }

  /** As FileSinkOperator.getCounterName makes it. */
  private static String name(FileSinkDesc sink) {
    String table = sink.getTableInfo().getTableName();
    return FileSinkOperator.Counter.RECORDS_OUT.name()
        + "_"
        + sink.getDestTableId()
        + (table == null ? "" : "_" + table.toLowerCase(Locale.ROOT));
  }

  private static long rows(Task<?> task, String group, String name) {
    if (!(task instanceof TezTask tez)) {
      MapRedStats job = SessionState.get().getMapRedStats().get(task.getId());
      return job == null || job.getCounters() == null
          ? 0
          : job.getCounters().getGroup(group).getCounter(name);
    }
    if (tez.getTezCounters() == null) {
      return 0;
    }
    TezCounter counter = tez.getTezCounters().getGroup(group).findCounter(name, false);
    return counter == null ? 0 : counter.getValue();
  }
}
