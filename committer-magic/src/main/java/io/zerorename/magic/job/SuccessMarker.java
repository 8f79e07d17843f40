package io.zerorename.magic.job;

import io.zerorename.core.commit.CommitReport;
import io.zerorename.core.commit.OpenCommit;
import io.zerorename.core.log.OutputJob;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.store.RepeatableBody;
import io.zerorename.core.store.RequestType;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.statistics.IOStatistics;
import org.apache.hadoop.mapreduce.lib.output.FileOutputCommitter;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes the {@code _SUCCESS} by which readers know that a job's output is complete. */
public record SuccessMarker(ObjectStores stores) {
  private static final Logger LOG = LoggerFactory.getLogger(SuccessMarker.class);
  private static final String WANTED = "success";

  /** The attributes of a job's plan by which every process that completes it writes the marker. */
  public static Map<String, String> wanted(boolean wanted, EngineJobId engine) {
    Map<String, String> attributes = new HashMap<>(engine.attributes());
    attributes.put(WANTED, Boolean.toString(wanted));
    return attributes;
  }

  /** Whether the user wants it, by Hadoop's own key. */
  public static boolean isWanted(Configuration conf) {
    return conf.getBoolean(FileOutputCommitter.SUCCESSFUL_JOB_OUTPUT_DIR_MARKER, true);
  }

  /** Whether a plan is of a MapReduce, Tez or Spark job. */
  public static boolean mayExistFor(OutputJob job) {
    return job.attributes().containsKey(WANTED);
  }

  /**
   * Completes an interrupted commit that it may exist for, as the job itself would have: there is
   * none where files are lost.
   */
  public void recovered(OpenCommit commit) throws IOException {
    if (!commit.isDamaged()) {
      write(commit.plan().job(), JobReport.recovered(commit.plan()));
    }
  }

  /**
   * Ends the commit of a job: writes the marker, and notes that nothing is left to do.
   *
   * @param commit that this process has executed, and is open
   * @param requests of the commit
   * @param fileLimit how many files the marker names
   * @return figures of the commit, for its committer
   */
  public IOStatistics end(CommitReport commit, Map<RequestType, Long> requests, int fileLimit)
      throws IOException {
    OpenCommit open = commit.open().orElseThrow();
    OutputJob job = open.plan().job();
    JobReport report = JobReport.committed(open, commit, requests, fileLimit);
    try {
      write(job, report);
    } catch (IOException e) {
      throw new IOException(
          ("ZR-6119: %s is committed and all of its files are visible, but its %s in %s could not"
                  + " be written. A job that writes there does it, once the entry is as old as"
                  + " zerorename.recovery.patience says, or at once: zerorename recover %s. Do not"
                  + " run the job again. %s")
              .formatted(
                  job.description(),
                  FileOutputCommitter.SUCCEEDED_FILE_NAME,
                  job.destination(),
                  job.destination(),
                  e.getMessage()),
          e);
    }
    try {
      open.end();
    } catch (IOException e) {
      LOG.warn(
          "ZR-6120: {} is complete, but the marker of its entry {} in the commit log of {} could"
              + " not be written. A job that writes there does it, once the entry is as old as"
              + " zerorename.recovery.patience says, or at once: zerorename recover {}.",
          job.description(),
          open.entry().number(),
          job.destination(),
          job.destination(),
          e);
    }
    return report.statistics();
  }

  private void write(OutputJob job, JobReport report) throws IOException {
    Path destination = job.destination();
    if (Boolean.parseBoolean(job.attributes().get(WANTED))) {
      Path marker = new Path(destination, FileOutputCommitter.SUCCEEDED_FILE_NAME);
      put(destination, ObjectKeys.of(marker), report.toJson());
    } else if (!report.hasFiles()) {
      // As with Hadoop's own committer, the next reader of the destination finds a directory.
      put(destination, ObjectKeys.prefixOf(destination), new byte[0]);
    }
  }

  private void put(Path destination, String key, byte[] content) throws IOException {
    stores.forPath(destination).putObject(key, RepeatableBody.of(content), Map.of());
  }
}
