package io.zerorename.hive.write;

import io.zerorename.core.config.CoreKeys;
import io.zerorename.core.upload.InlineSettings;
import java.lang.ref.WeakReference;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hive.ql.exec.MapredContext;
import org.apache.hadoop.hive.ql.exec.tez.TezContext;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.MRJobConfig;

/**
 * What the writers of one task attempt share that write to one target. Hive gives them no object in
 * common: where output is compressed, even their configurations are copies. But it opens all of
 * them in one thread, which runs one attempt at a time; a long-lived process runs others beside it.
 */
final class TaskAttempt {
  /**
   * Up to here a job was quicker with its commit, as long as that took one PUT:
   * docs/performance.md.
   */
  private static final long DEFAULT_INLINE_MAX = 512L << 10;

  private static final long ATTEMPT_BYTES = 32L << 20;

  /** Of all attempts of a job: its commit is one process. */
  private static final long JOB_BYTES = 256L << 20;

  /** Bytes must not rest anywhere else than under those keys. */
  private static final Set<String> KEYS_OF_OWN =
      Set.of("SSE-KMS", "DSSE-KMS", "SSE-C", "CSE-KMS", "CSE-CUSTOM");

  /**
   * Those of this thread, by the jobs of their targets: the rows of a multi-insert go to several
   * targets in turn.
   */
  private static final ThreadLocal<Map<String, TaskAttempt>> CURRENT =
      ThreadLocal.withInitial(HashMap::new);

  private final String queryId;
  private final String id;

  /** Of all its writers to the target. */
  private final AtomicLong inlinedBytes = new AtomicLong();

  /** By their directories; a thread must not keep writers that a failed attempt has left. */
  private final Map<Path, WeakReference<SinkWriters>> sinks = new HashMap<>();

  private TaskAttempt(String queryId, String id) {
    this.queryId = queryId;
    this.id = id;
  }

  /**
   * The attempt that runs in this thread, as the writer of one target.
   *
   * @param queryId of the statement; Tez numbers the attempts of each statement alike
   * @param jobId of the target
   */
  static TaskAttempt current(String queryId, String jobId, String id) {
    Map<String, TaskAttempt> current = CURRENT.get();
    current.values().removeIf(it -> !it.queryId.equals(queryId) || !it.id.equals(id));
    return current.computeIfAbsent(jobId, job -> new TaskAttempt(queryId, id));
  }

  String id() {
    return id;
  }

  /**
   * The open writers of a file sink.
   *
   * @param directory of the sink
   * @param filesAtOnce that may send their last part
   */
  SinkWriters sink(Path directory, int filesAtOnce) {
    WeakReference<SinkWriters> known = sinks.get(directory);
    SinkWriters writers = known == null ? null : known.get();
    if (writers == null) {
      writers = new SinkWriters(filesAtOnce);
      sinks.put(directory, new WeakReference<>(writers));
    }
    return writers;
  }

  /** Which files of a target in a bucket are not uploaded, for all writers of the attempt. */
  InlineSettings inline(JobConf conf, String bucket) {
    return new InlineSettings(
        CoreKeys.INLINE_MAX_BYTES
            .find(conf, bucket)
            .orElse(hasKeysOfItsOwn(conf, bucket) ? 0 : DEFAULT_INLINE_MAX),
        Math.min(ATTEMPT_BYTES, JOB_BYTES / Math.max(1, tasks(conf))),
        inlinedBytes);
  }

  private static boolean hasKeysOfItsOwn(JobConf conf, String bucket) {
    String algorithm = "";
    for (String prefix : List.of("fs.s3a.", "fs.s3a.bucket." + bucket + ".")) {
      for (String name : List.of("server-side-encryption-algorithm", "encryption.algorithm")) {
        algorithm = conf.getTrimmed(prefix + name, algorithm);
      }
    }
    return KEYS_OF_OWN.contains(algorithm.toUpperCase(Locale.ROOT));
  }

  /** How many tasks the writing vertex, or job of MapReduce, has; 1 where that is not known. */
  private static int tasks(JobConf conf) {
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
