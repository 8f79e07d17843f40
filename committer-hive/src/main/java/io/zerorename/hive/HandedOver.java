package io.zerorename.hive;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.config.DeclaredKeys;
import org.apache.hadoop.hive.ql.exec.MapredContext;
import org.apache.hadoop.hive.ql.exec.tez.TezContext;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.MRJobConfig;

/**
 * How many bytes a task has handed to the commit without an upload, over all its writers. They have
 * nothing in common but the configuration that Hive gives each of them.
 */
final class HandedOver {
  private final JobConf conf;
  private final String key;

  HandedOver(JobConf conf, String jobId) {
    this.conf = requireNonNull(conf, "conf");
    this.key = DeclaredKeys.INTERNAL + "handed.over." + jobId;
  }

  long bytes() {
    return conf.getLong(key, 0);
  }

  void add(long bytes) {
    if (bytes > 0) {
      synchronized (conf) {
        conf.setLong(key, bytes() + bytes);
      }
    }
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
