package io.zerorename.hive;

import java.util.List;
import org.apache.hadoop.hive.conf.HiveConf;
import org.apache.hadoop.hive.ql.exec.ConditionalTask;
import org.apache.hadoop.hive.ql.exec.Task;
import org.apache.hadoop.hive.ql.plan.ConditionalResolver;

/**
 * Hive's choice between the tasks of a condition, where one must be chosen. If the scratch file
 * system fails while Hive looks whether files are to be merged, Hive only logs that and chooses
 * none (ConditionalResolverMergeFiles.getTasks). It leaves out what stands behind them then, the
 * commit too, and ends the statement without an error.
 *
 * @param targets of the statement, for the message
 */
record MergeChoice(ConditionalResolver hives, String targets) implements ConditionalResolver {
  /** Lets all conditions of a plan fail where they would choose nothing. */
  static void require(List<Task<?>> plan, String targets) {
    for (Task<?> task : plan) {
      if (task instanceof ConditionalTask conditional) {
        conditional.setResolver(new MergeChoice(conditional.getResolver(), targets));
      }
    }
  }

  @Override
  public List<Task<?>> getTasks(HiveConf conf, Object context) {
    List<Task<?>> chosen = hives.getTasks(conf, context);
    if (chosen.isEmpty()) {
      throw new IllegalStateException(
          ("ZR-5250: Hive has chosen neither to merge nor to move the files of the statement that"
                  + " writes to %s; see its log for the cause, \"Exception while getting tasks\". Run"
                  + " the statement again.")
              .formatted(targets));
    }
    return chosen;
  }
}
