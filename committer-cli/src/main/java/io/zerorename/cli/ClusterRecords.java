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
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.security.UserGroupInformation;

/**
 * The user's records on the cluster file system: in {@link CoreKeys#WORK_DIR}, and in the defaults
 * of MapReduce and Hive, because a command does not know which engine has written to its path.
 *
 * @param places the existing work directories
 * @param unseen those that cannot be read or must not be trusted, and why
 */
record ClusterRecords(List<WorkDirectory> places, List<String> unseen) {
  private static final String SCRATCH_DIR = "hive.exec.scratchdir";
  private static final String DEFAULT_SCRATCH_DIR = "/tmp/hive";

  ClusterRecords {
    places = List.copyOf(places);
    unseen = List.copyOf(unseen);
  }

  /** The cluster file system may not exist any more, or may be S3, which has no work directory. */
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
        MapReduceKeys.qualified(
            new Path(conf.getTrimmed(SCRATCH_DIR, DEFAULT_SCRATCH_DIR), "zerorename-" + user),
            conf));
    return candidates;
  }

  /** Like {@link #find}, with a warning for each directory that cannot be read. */
  static ClusterRecords findAndWarn(Session session) throws IOException {
    ClusterRecords found = find(session.conf());
    found.unseen.forEach(
        place ->
            session
                .output()
                .warn("ZR-9118: Records on the cluster file system cannot be read: " + place));
    return found;
  }

  /** The user's jobs that are not at their end, by the directory of their log. */
  Map<Path, List<JobDirectory>> begun() throws IOException {
    Map<Path, List<JobDirectory>> begun = new HashMap<>();
    for (WorkDirectory work : places) {
      for (Path path : work.jobs()) {
        JobDirectory job = new JobDirectory(work.fileSystem(), path);
        Optional<Path> log = job.isFinished() ? Optional.empty() : job.log();
        log.ifPresent(it -> begun.computeIfAbsent(it, none -> new ArrayList<>()).add(job));
      }
    }
    return begun;
  }

  /**
   * The records of a job.
   *
   * @throws IOException if they may be in a directory that cannot be read
   */
  Optional<JobDirectory> of(OutputJob job) throws IOException {
    for (WorkDirectory place : places) {
      Optional<JobDirectory> records = place.recordsOf(job);
      if (records.isPresent()) {
        return records;
      }
    }
    if (!unseen.isEmpty()) {
      throw new IOException("Cannot read " + String.join("; ", unseen));
    }
    return Optional.empty();
  }
}
