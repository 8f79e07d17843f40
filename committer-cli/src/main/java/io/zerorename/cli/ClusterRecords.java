package io.zerorename.cli;

import io.zerorename.cli.command.Session;
import io.zerorename.core.config.CoreKeys;
import io.zerorename.core.config.S3AFileSystems;
import io.zerorename.core.job.JobDirectory;
import io.zerorename.core.job.WorkDirectory;
import io.zerorename.core.log.OutputJob;
import io.zerorename.magic.job.MapReduceKeys;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.security.UserGroupInformation;

/**
 * What the committer keeps on the cluster file system for the user who runs this: in {@link
 * CoreKeys#WORK_DIR}, and where MapReduce and Hive keep it without that. A command does not know
 * which engine has written to its path.
 *
 * @param places the directories that are there
 * @param unseen those that cannot be looked into, or must not be trusted, and why
 */
record ClusterRecords(List<WorkDirectory> places, List<String> unseen) {
  private static final String SCRATCH_DIR = "hive.exec.scratchdir";
  private static final String DEFAULT_SCRATCH_DIR = "/tmp/hive";

  ClusterRecords {
    places = List.copyOf(places);
    unseen = List.copyOf(unseen);
  }

  /** The cluster file system may be gone, with the cluster, or may be S3 and have none of them. */
  static ClusterRecords find(Configuration conf) throws IOException {
    List<WorkDirectory> places = new ArrayList<>();
    List<String> unseen = new ArrayList<>();
    for (Path candidate : candidates(conf)) {
      try {
        if (!S3AFileSystems.holds(candidate, conf)) {
          WorkDirectory work = WorkDirectory.of(candidate, conf);
          if (work.exists()) {
            places.add(work);
          }
        }
      } catch (IOException | RuntimeException e) {
        unseen.add(candidate + ": " + e.getMessage());
      }
    }
    return new ClusterRecords(places, unseen);
  }

  private static Set<Path> candidates(Configuration conf) throws IOException {
    Set<Path> candidates = new LinkedHashSet<>();
    candidates.add(MapReduceKeys.workDir(conf));
    Configuration unset = new Configuration(conf);
    unset.unset(CoreKeys.WORK_DIR.name());
    candidates.add(MapReduceKeys.workDir(unset));
    String user = UserGroupInformation.getCurrentUser().getShortUserName();
    candidates.add(
        new Path(conf.getTrimmed(SCRATCH_DIR, DEFAULT_SCRATCH_DIR), "zerorename-" + user)
            .makeQualified(FileSystem.getDefaultUri(conf), new Path("/")));
    return candidates;
  }

  /** Like {@link #find}, and warns of what cannot be seen. */
  static ClusterRecords findAndWarn(Session session) throws IOException {
    ClusterRecords found = find(session.conf());
    found.unseen.forEach(
        place ->
            session
                .output()
                .warn("What is kept on the cluster file system cannot be seen in " + place));
    return found;
  }

  /**
   * The records of a job.
   *
   * @throws IOException where they may be in a place that cannot be seen
   */
  Optional<JobDirectory> of(OutputJob job) throws IOException {
    for (WorkDirectory place : places) {
      Optional<JobDirectory> records = place.recordsOf(job);
      if (records.isPresent()) {
        return records;
      }
    }
    if (!unseen.isEmpty()) {
      throw new IOException("Cannot look into " + String.join("; ", unseen));
    }
    return Optional.empty();
  }
}
