package io.zerorename.hive.write;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.config.DeclaredKeys;
import io.zerorename.core.upload.InlineCount;
import java.util.Properties;
import org.apache.hadoop.hive.ql.exec.MapredContext;
import org.apache.hadoop.hive.ql.exec.tez.TezContext;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.MRJobConfig;

/**
 * How many bytes a task attempt has handed to the commit without an upload, over all its writers.
 * They have nothing in common but the properties of the table that Hive gives each of them: where
 * output is compressed, even their configurations are copies.
 */
final class AttemptInlineCount implements InlineCount {
  private final Properties tableProperties;
  private final String key;

  /**
   * @param tableProperties of the sink; other attempts of this process may share them
   */
  AttemptInlineCount(Properties tableProperties, String taskAttemptId) {
    this.tableProperties = requireNonNull(tableProperties, "tableProperties");
    this.key = DeclaredKeys.INTERNAL + "handed.over." + taskAttemptId;
  }

  @Override
  public long add(long bytes) {
    return Long.parseLong(
        (String) tableProperties.merge(key, Long.toString(bytes), AttemptInlineCount::sum));
  }

  private static String sum(Object before, Object more) {
    return Long.toString(Long.parseLong((String) before) + Long.parseLong((String) more));
  }

  /** How many tasks the writing vertex, or job of MapReduce, has; 1 where nobody tells. */
  static int tasks(JobConf conf) {
    MapredContext context = MapredContext.get();
    // Named, not compared: with MapReduce as the engine there may be no Tez.
    if (context != null && context.getClass().getSimpleName().equals("TezContext")) {
      return OnTez.tasks(context);
    }
    return Math.max(conf.getInt(MRJobConfig.NUM_MAPS, 1), conf.getInt(MRJobConfig.NUM_REDUCES, 1));
  }

  private static final class OnTez {
    static int tasks(MapredContext context) {
      var processor = ((TezContext) context).getTezProcessorContext();
      return processor == null ? 1 : Math.max(1, processor.getVertexParallelism());
    }
  }
}
