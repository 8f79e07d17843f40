package io.zerorename.hive;

import static java.util.stream.Collectors.joining;

import io.zerorename.core.commit.CommitReport;
import io.zerorename.core.commit.CommitRequest;
import io.zerorename.core.commit.CommitSettings;
import io.zerorename.core.commit.CommitStateUnknownException;
import io.zerorename.core.commit.JobAbort;
import io.zerorename.core.commit.JobCommit;
import io.zerorename.core.commit.JobDirectory;
import io.zerorename.core.commit.ManifestSource;
import io.zerorename.core.commit.Overwrite;
import io.zerorename.core.commit.WorkDirectory;
import io.zerorename.core.config.CoreKeys;
import io.zerorename.core.s3a.S3AObjectStores;
import java.io.IOException;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hive.common.HiveStatsUtils;
import org.apache.hadoop.hive.conf.HiveConf.ConfVars;
import org.apache.hadoop.hive.ql.exec.Task;
import org.apache.hadoop.hive.ql.metadata.HiveException;
import org.apache.hadoop.hive.ql.plan.api.StageType;
import org.apache.hadoop.hive.ql.session.SessionState;
import org.apache.hadoop.hive.ql.session.SessionState.LogHelper;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the output of one INSERT visible, between the task that wrote it and the MoveTask, which
 * then has nothing to move and tells the metastore.
 */
final class CommitTask extends Task<CommitWork> {
  private static final long serialVersionUID = 1L;
  private static final Logger COMMIT_LOG = LoggerFactory.getLogger(CommitTask.class);

  private transient volatile boolean committed;

  @Override
  public StageType getType() {
    return StageType.MOVE;
  }

  @Override
  public String getName() {
    return "ZERO-RENAME-COMMIT";
  }

  @Override
  public int execute() {
    if (context.getExplainAnalyze() != null) {
      // EXPLAIN ANALYZE runs the tasks to count their rows; the end of the query aborts them.
      return 0;
    }
    try {
      List<String> partitions = dynamicPartitions();
      refuseTooManyPartitions(partitions);
      refuseCustomLocations(partitions);
      CommitReport report = commit();
      committed = true;
      keepDirectory(report);
      console.printInfo(summary(report));
      return 0;
    } catch (IOException | HiveException | RuntimeException e) {
      committed |= e instanceof CommitStateUnknownException;
      COMMIT_LOG.error("Committing the output of {} failed", description(), e);
      console.printError("zero-rename: " + e.getMessage());
      setException(e);
      return 1;
    }
  }

  private CommitReport commit() throws IOException {
    OutputSpec output = work.output();
    FileSystem scratch = output.staging().getFileSystem(conf);
    Overwrite overwrite =
        !work.overwrites()
            ? Overwrite.none()
            : work.dynamicColumns().isEmpty()
                ? Overwrite.directory(output.destination())
                : Overwrite.directoriesOfUploads();
    return new JobCommit(new S3AObjectStores(conf), jobDirectory(conf), settings(conf))
        .run(
            new CommitRequest(
                output.jobId(),
                description(),
                ManifestSource.filesBelow(scratch, output.staging()),
                List.of(output.destination()),
                overwrite));
  }

  /** The names of the partitions that the rows have chosen; none where the statement names it. */
  private List<String> dynamicPartitions() throws IOException {
    int levels = work.dynamicColumns().size();
    if (levels == 0) {
      return List.of();
    }
    Path staging = work.output().staging();
    FileSystem scratch = staging.getFileSystem(conf);
    Path table = work.table().getDataLocation();
    String prefix = relative(table, work.output().destination());
    List<String> names = new ArrayList<>();
    for (FileStatus partition : HiveStatsUtils.getFileStatusRecurse(staging, levels, scratch)) {
      String dynamic = relative(staging, partition.getPath());
      names.add(prefix.isEmpty() ? dynamic : prefix + "/" + dynamic);
    }
    return names;
  }

  /** Hive's MoveTask refuses too many partitions; here it would come after the commit. */
  private void refuseTooManyPartitions(List<String> partitions) throws IOException {
    int limit = conf.getIntVar(ConfVars.DYNAMIC_PARTITION_MAX_PARTS);
    if (partitions.size() > limit) {
      throw new IOException(
          description()
              + " was not committed: it creates "
              + partitions.size()
              + " dynamic partitions and "
              + ConfVars.DYNAMIC_PARTITION_MAX_PARTS.varname
              + " is "
              + limit
              + ". Nothing was changed; set it to at least "
              + partitions.size()
              + " and run it again.");
    }
  }

  /**
   * A partition that was given a location of its own after the statement was compiled: Hive would
   * read there, and the files are elsewhere.
   */
  private void refuseCustomLocations(List<String> partitions) throws IOException, HiveException {
    if (partitions.isEmpty()) {
      return;
    }
    Optional<String> custom =
        new PartitionLocations(getHive(), work.table()).anyCustomOf(partitions);
    if (custom.isPresent()) {
      throw new IOException(
          description()
              + " was not committed: while it ran, a partition got the location "
              + custom.get()
              + ", and its rows would be invisible there. Nothing was changed; run it again.");
    }
  }

  /** The part of a path below another, without a slash before it; "" for the same path. */
  private static String relative(Path root, Path path) {
    String rootText = root.toUri().getPath();
    String pathText = path.toUri().getPath();
    String below = pathText.substring(rootText.length());
    return below.startsWith("/") ? below.substring(1) : below;
  }

  /** An INSERT of no rows into a new partition leaves a directory, as with Hive's own path. */
  private void keepDirectory(CommitReport report) throws IOException {
    if (report.files() == 0 && work.dynamicColumns().isEmpty() && !work.overwrites()) {
      Path destination = work.output().destination();
      destination.getFileSystem(conf).mkdirs(destination);
    }
  }

  /**
   * The end of the query, however it came about. Aborts what was not committed, and removes the
   * manifests.
   *
   * @param failed whether the query failed
   */
  void queryEnded(Configuration configuration, boolean failed) {
    LogHelper output = SessionState.getConsole();
    try {
      if (!committed) {
        abort(configuration, output);
      } else if (failed) {
        output.printError(
            "zero-rename: "
                + description()
                + " failed after its data was committed. Do not simply run an INSERT INTO again:"
                + " its rows would be there twice. The files are in place; new partitions that the"
                + " metastore does not know yet are added by MSCK REPAIR TABLE "
                + work.table().getFullyQualifiedName()
                + ".");
      }
    } catch (IOException | RuntimeException e) {
      COMMIT_LOG.warn("Cannot abort {}", description(), e);
      output.printError(
          "zero-rename: "
              + description()
              + " failed, and not all of its pending uploads could be aborted: "
              + e.getMessage()
              + " Nothing of it is visible, but the uploads go on costing storage; their ids are in "
              + work.jobDirectory()
              + "/journal.");
    }
    removeStaging(configuration);
    purge(configuration);
  }

  private void abort(Configuration configuration, LogHelper output) throws IOException {
    JobAbort.Result result =
        new JobAbort(
                new S3AObjectStores(configuration),
                jobDirectory(configuration),
                settings(configuration))
            .run();
    if (result instanceof JobAbort.Result.Aborted aborted) {
      output.printInfo(
          "zero-rename: "
              + description()
              + " was not committed; nothing of it is visible, "
              + aborted.uploads()
              + " pending uploads were aborted");
    } else {
      throw new IllegalStateException(
          "another process has committed the job, see " + work.jobDirectory());
    }
  }

  private void removeStaging(Configuration configuration) {
    Path root = work.stagingRoot();
    try {
      root.getFileSystem(configuration).delete(root, true);
    } catch (IOException | RuntimeException e) {
      COMMIT_LOG.warn("Cannot delete the manifests in {}; the session's end will", root, e);
    }
  }

  /** Removes what jobs of the week before last have left. */
  private void purge(Configuration configuration) {
    Path root = work.output().workDir().getParent();
    try {
      WorkDirectory.of(root, configuration).purge(LocalDate.now(ZoneOffset.UTC));
    } catch (IOException | RuntimeException e) {
      COMMIT_LOG.warn("Cannot remove records of old jobs from {}", root, e);
    }
  }

  private JobDirectory jobDirectory(Configuration configuration) throws IOException {
    return JobDirectory.of(work.jobDirectory(), configuration);
  }

  private static CommitSettings settings(Configuration configuration) {
    return CommitSettings.ofThreads(CoreKeys.COMMIT_THREADS.from(configuration));
  }

  private String description() {
    return (work.overwrites() ? "INSERT OVERWRITE of " : "INSERT INTO ")
        + work.table().getFullyQualifiedName();
  }

  private String summary(CommitReport report) {
    String stages =
        report.stages().entrySet().stream()
            .sorted(Map.Entry.comparingByKey())
            .map(
                stage ->
                    stage.getKey().name().toLowerCase(Locale.ROOT).replace('_', ' ')
                        + " "
                        + stage.getValue().toMillis())
            .collect(joining(", "));
    return String.format(
        Locale.ROOT,
        "zero-rename: committed %s: %d files, %d bytes, %d directories, %d old files replaced, %d"
            + " uploads aborted, %d S3 requests, %d ms (%s)",
        description(),
        report.files(),
        report.bytes(),
        report.directories(),
        report.replaced(),
        report.aborted(),
        report.requestsTotal(),
        report.duration().toMillis(),
        stages);
  }
}
