package io.zerorename.magic.job;

import io.zerorename.core.log.OutputJob;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapreduce.JobContext;

/**
 * A job's id as its engine knows it, for people and tools that search the engine's history for it.
 *
 * @param id such as {@code job_1700000000000_0001}
 * @param source where it comes from, by the names that S3A's committers give in {@code _SUCCESS}
 */
public record EngineJobId(String id, String source) {
  /** Of S3A's committers: an id that a client may give to its job. */
  private static final String COMMITTER_UUID = "fs.s3a.committer.uuid";

  /** Set by Spark, to the id of a write. */
  public static final String SPARK_WRITE = "spark.sql.sources.writeJobUUID";

  private static final List<String> SETTINGS =
      List.of(COMMITTER_UUID, JobOutput.TEZ_DAG, SPARK_WRITE);

  private static final String ID = "engineJobId";
  private static final String SOURCE = "engineJobIdSource";

  /** As S3A's committers look for it. */
  static EngineJobId of(JobContext context, String ownId) {
    Configuration conf = context.getConfiguration();
    for (String setting : SETTINGS) {
      String id = conf.getTrimmed(setting, "");
      if (!id.isEmpty()) {
        return new EngineJobId(id, setting);
      }
    }
    return context.getJobID() == null
        ? new EngineJobId(ownId, "zerorename")
        : new EngineJobId(context.getJobID().toString(), "JobID");
  }

  /** As its log entry has it. */
  static EngineJobId of(OutputJob job) {
    Map<String, String> attributes = job.attributes();
    return new EngineJobId(
        attributes.getOrDefault(ID, job.id()), attributes.getOrDefault(SOURCE, "zerorename"));
  }

  /** What a log entry has of it, for the process that completes an interrupted commit. */
  Map<String, String> attributes() {
    return Map.of(ID, id, SOURCE, source);
  }
}
