package io.zerorename.hive.commit;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.job.CommitLogs;
import io.zerorename.core.job.CommitSettings;
import io.zerorename.core.log.CommitLog;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.hive.metastore.InsertTarget;
import io.zerorename.hive.metastore.StagedPartitions;
import io.zerorename.hive.write.OutputSpec;
import java.io.IOException;
import java.io.Serializable;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hive.ql.plan.Explain;
import org.apache.hadoop.hive.ql.plan.Explain.Level;

/**
 * What the commit of one INSERT must know; fixed when the statement is compiled. It is public only
 * because EXPLAIN reads it by reflection.
 */
@Explain(
    displayName = "Zero-Rename Commit",
    explainLevels = {Level.USER, Level.DEFAULT, Level.EXTENDED})
public final class CommitWork implements Serializable {
  private static final long serialVersionUID = 1L;

  private final transient OutputSpec output;
  private final transient Set<String> branches;
  private final transient Path stagingRoot;
  private final transient Path commitLog;
  private final transient Instant begun = Instant.now();
  private final transient InsertTarget target;
  private final transient List<String> dynamicColumns;
  private final boolean overwrites;
  private final transient Optional<Path> unusedStaging;
  private final transient Map<String, String> fixedPartition;

  /**
   * @param branches the directories of the branches of a UNION ALL, or none
   * @param commitLog the directory of the log in which it is decided
   * @param dynamicColumns the partition columns that the rows decide about, or none
   * @param unusedStaging the directory that Hive has made for staging, if it stays empty
   * @param fixedPartition the partition that the statement names, or none
   */
  public CommitWork(
      OutputSpec output,
      Set<String> branches,
      Path stagingRoot,
      Path commitLog,
      InsertTarget target,
      List<String> dynamicColumns,
      boolean overwrites,
      Optional<Path> unusedStaging,
      Map<String, String> fixedPartition) {
    this.output = requireNonNull(output, "output");
    this.branches = Set.copyOf(branches);
    this.stagingRoot = requireNonNull(stagingRoot, "stagingRoot");
    this.commitLog = requireNonNull(commitLog, "commitLog");
    this.target = requireNonNull(target, "target");
    this.dynamicColumns = List.copyOf(dynamicColumns);
    this.overwrites = overwrites;
    this.unusedStaging = requireNonNull(unusedStaging, "unusedStaging");
    this.fixedPartition = Map.copyOf(fixedPartition);
  }

  public OutputSpec output() {
    return output;
  }

  /**
   * The directories that hold the manifests of the chosen task attempts. Those of the branches of a
   * UNION ALL lie beside directories in which a forgotten attempt may still write.
   */
  List<Path> manifests(FileSystem scratch) throws IOException {
    Path staging = output.staging();
    if (branches.isEmpty()) {
      return List.of(staging);
    }
    if (dynamicColumns.isEmpty()) {
      return branches.stream().map(branch -> new Path(staging, branch)).toList();
    }
    return StagedPartitions.in(scratch, staging, dynamicColumns);
  }

  /** The directory to delete when the query has ended; it holds the staging directory. */
  Path stagingRoot() {
    return stagingRoot;
  }

  /** The directory of the table's {@link io.zerorename.core.log.CommitLog}. */
  Path commitLog() {
    return commitLog;
  }

  /** The table's log. */
  CommitLog openLog(ObjectStores stores, Configuration conf) throws IOException {
    return new CommitLogs(stores, conf, Optional.empty()).at(commitLog);
  }

  /** What is set for the bucket that it writes to. */
  CommitSettings settings(Configuration conf) {
    return CommitSettings.from(conf, ObjectKeys.bucketOf(output.destination()));
  }

  /** When the statement was compiled; none of its uploads is older. */
  Instant begun() {
    return begun;
  }

  public InsertTarget target() {
    return target;
  }

  List<String> dynamicColumns() {
    return dynamicColumns;
  }

  /** Whether rows choose the partitions. */
  boolean isDynamic() {
    return !dynamicColumns.isEmpty();
  }

  boolean overwrites() {
    return overwrites;
  }

  /** The directory that Hive's compiler has made for staging, if it stays empty. */
  Optional<Path> unusedStaging() {
    return unusedStaging;
  }

  /** The whole of the partition that the statement names; empty where rows decide about it. */
  public Map<String, String> fixedPartition() {
    return fixedPartition;
  }

  /** The statement in a person's words. */
  String description() {
    return target.description(overwrites);
  }

  /** The job's directory, with its journal. */
  Path jobDirectory() {
    return new Path(output.workDir(), output.jobId());
  }

  /** For EXPLAIN. */
  @Explain(
      displayName = "table",
      explainLevels = {Level.USER, Level.DEFAULT, Level.EXTENDED})
  public String getTableName() {
    return target.name();
  }

  /** For EXPLAIN. */
  @Explain(
      displayName = "replace",
      explainLevels = {Level.USER, Level.DEFAULT, Level.EXTENDED})
  public boolean getReplace() {
    return overwrites;
  }
}
