package io.zerorename.hive;

import io.zerorename.hive.write.OutputSpec;
import io.zerorename.hive.write.PendingOutputFormat;
import io.zerorename.testing.s3server.EmbeddedS3Server;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hive.ql.exec.FileSinkOperator;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.MRJobConfig;

/** The writers of one task attempt that writes partitions of a table, as Hive opens them. */
final class TaskWriters {
  private final JobConf conf = new JobConf();
  private final Path table;
  private final Path scratch;
  private final Path work;
  private final Map<String, Properties> sinks = new HashMap<>();
  private final String jobId = UUID.randomUUID().toString();
  private final AtomicInteger progress = new AtomicInteger();

  /**
   * @param scratch where the manifests go
   * @param local for everything else
   */
  TaskWriters(EmbeddedS3Server server, Path table, Path scratch, java.nio.file.Path local) {
    this.table = table;
    this.scratch = scratch;
    this.work = new Path(local.resolve("work").toUri());
    server.hadoopSettings().forEach(conf::set);
    conf.set("fs.s3a.multipart.size", "5M");
    conf.set("hadoop.tmp.dir", local.toString());
    conf.set(MRJobConfig.TASK_ATTEMPT_ID, "attempt_1_0001_m_000000_0");
  }

  /** How often the writers have told that they make progress. */
  int progress() {
    return progress.get();
  }

  JobConf conf() {
    return conf;
  }

  /**
   * @param format of the table
   */
  FileSinkOperator.RecordWriter open(String partition, Class<?> format) throws IOException {
    return open("-ext-10000", partition, format);
  }

  /**
   * @param sink name of its directory
   */
  FileSinkOperator.RecordWriter open(String sink, String partition, Class<?> format)
      throws IOException {
    return new PendingOutputFormat()
        .getHiveRecordWriter(
            conf,
            manifest(sink, partition),
            Text.class,
            false,
            properties(sink, format),
            progress::incrementAndGet);
  }

  /** Those of a sink, which all of its writers get. */
  private Properties properties(String sink, Class<?> format) {
    return sinks.computeIfAbsent(
        sink + " " + format.getName(),
        ignored ->
            new OutputSpec(format.getName(), table, new Path(scratch, sink), "", jobId, work)
                .addTo(new Properties()));
  }

  Path manifest(String sink, String partition) {
    return new Path(scratch, "_task_tmp." + sink + "/" + partition + "/-tmp.000000_0");
  }
}
