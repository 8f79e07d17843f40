package io.zerorename.hive.commit;

import io.zerorename.core.job.CommitSettings;
import io.zerorename.core.log.RunId;
import io.zerorename.core.store.ObjectKeys;
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
 * What the commit of one INSERT must know; fixed when the statement is compiled. It never leaves
 * the process, and is public only because EXPLAIN reads it by reflection.
 *
 * @param merged where Hive has merged the files on the scratch file system, if it has
 * @param branches the directories of the branches of a UNION ALL, or none
 * @param stagingRoot the directory to delete when the query has ended
 * @param begun when the statement was compiled; none of its uploads is older
 * @param dynamicColumns the partition columns whose values the rows choose, or none
 * @param unusedStaging the directory that Hive has made for staging, if it stays empty
 * @param fixedPartition the whole partition that the statement names, or none
 */
@Explain(
    displayName = "Zero-Rename Commit",
    explainLevels = {Level.USER, Level.DEFAULT, Level.EXTENDED})
public record CommitWork(
    OutputSpec output,
    Optional<Path> merged,
    Set<String> branches,
    Path stagingRoot,
    Instant begun,
    InsertTarget target,
    List<String> dynamicColumns,
    boolean overwrites,
    Optional<Path> unusedStaging,
    Map<String, String> fixedPartition)
    implements Serializable {
  public CommitWork {
    branches = Set.copyOf(branches);
    dynamicColumns = List.copyOf(dynamicColumns);
    fixedPartition = Map.copyOf(fixedPartition);
  }

  /**
   * The directories that hold the manifests of the chosen task attempts. Those of the branches of a
   * UNION ALL lie beside directories in which a lost attempt may still write.
   */
  List<Path> manifests(FileSystem scratch) throws IOException {
    Path staging = output.staging();
    if (branches.isEmpty()) {
      return List.of(staging);
    }
    if (!isDynamic()) {
      return branches.stream().map(branch -> new Path(staging, branch)).toList();
    }
    return StagedPartitions.in(scratch, staging, dynamicColumns);
  }

  /** The settings of the bucket that it writes to. */
  CommitSettings settings(Configuration conf) {
    return CommitSettings.from(conf, ObjectKeys.bucketOf(output.destination()));
  }

  /**
   * The run to which it belongs, if its user has named one. An overwrite belongs to none: it may be
   * repeated, and must be, because others may have written there since.
   *
   * @param statement its text
   */
  Optional<RunId> run(Configuration conf, String statement) {
    return overwrites || target.kind() != InsertTarget.Kind.TABLE
        ? Optional.empty()
        : RunId.idIn(conf).map(id -> target.run(id, output.destination(), statement));
  }

  /** Whether rows choose the partitions. */
  boolean isDynamic() {
    return !dynamicColumns.isEmpty();
  }

  /** The statement, for messages. */
  String description() {
    return target.description(overwrites);
  }

  /** The job's directory. */
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
