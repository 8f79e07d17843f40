package io.zerorename.magic.job;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.log.CommitPlan;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.store.PartBody;
import java.io.IOException;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.lib.output.FileOutputCommitter;

/** Writes the {@code _SUCCESS} by which readers know that a job's output is complete. */
public final class SuccessMarker {
  private static final String WANTED = "success";

  private final ObjectStores stores;

  public SuccessMarker(ObjectStores stores) {
    this.stores = requireNonNull(stores, "stores");
  }

  /** The attributes of a job's plan by which every process that completes it writes the marker. */
  static Map<String, String> wanted(Configuration conf) {
    return Map.of(WANTED, Boolean.toString(isWanted(conf)));
  }

  static boolean isWanted(Configuration conf) {
    return conf.getBoolean(FileOutputCommitter.SUCCESSFUL_JOB_OUTPUT_DIR_MARKER, true);
  }

  /** Whether a plan is of a MapReduce or Tez job. */
  public static boolean isConcerned(CommitPlan plan) {
    return plan.job().attributes().containsKey(WANTED);
  }

  static boolean isWanted(CommitPlan plan) {
    return Boolean.parseBoolean(plan.job().attributes().get(WANTED));
  }

  /**
   * Completes an interrupted commit, as the job itself would have.
   *
   * @throws IOException also if the plan is another engine's, which has more to do
   */
  public void recovered(CommitPlan plan) throws IOException {
    if (!isConcerned(plan)) {
      throw new IOException(
          String.format(
              "all files of %s are in place, but its own engine must complete it: the next INSERT"
                  + " into that table does, or the command zerorename recover.",
              plan.description()));
    }
    Path destination = plan.job().roots().get(0);
    end(destination, isWanted(plan), JobReport.recovered(plan));
  }

  /** Ends the commit of a job. */
  void end(Path destination, boolean wanted, JobReport report) throws IOException {
    if (wanted) {
      put(
          destination,
          ObjectKeys.of(new Path(destination, FileOutputCommitter.SUCCEEDED_FILE_NAME)),
          report.toJson());
    } else if (report.metrics().get("files") == 0) {
      // As with Hadoop's own committer, the next reader of the destination finds a directory.
      put(destination, ObjectKeys.prefixOf(destination), new byte[0]);
    }
  }

  private void put(Path destination, String key, byte[] content) throws IOException {
    stores.forPath(destination).putObject(key, PartBody.of(content), Map.of());
  }
}
