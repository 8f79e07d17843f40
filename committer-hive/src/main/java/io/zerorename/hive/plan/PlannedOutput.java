package io.zerorename.hive.plan;

import io.zerorename.core.store.ObjectKeys;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hive.metastore.api.FieldSchema;
import org.apache.hadoop.hive.ql.exec.MoveTask;
import org.apache.hadoop.hive.ql.exec.Task;
import org.apache.hadoop.hive.ql.metadata.Table;
import org.apache.hadoop.hive.ql.plan.DynamicPartitionCtx;
import org.apache.hadoop.hive.ql.plan.FileSinkDesc;
import org.apache.hadoop.hive.ql.plan.LoadFileDesc;

/**
 * A place on S3 that a plan writes to: what Hive stages in one directory and moves from there.
 *
 * @param sinks what writes to it, several for the branches of a UNION ALL; never empty
 * @param staged the directory from which the files are moved to their destination
 * @param moves the tasks that move from the directory; one, unless the plan has an unknown shape
 * @param table none for a directory
 * @param destination where the files belong that Hive's tasks put directly into the staging
 *     directory: the table, the partition, the directory, or, for dynamic partitions, the directory
 *     of the static part of the partition
 */
public record PlannedOutput(
    List<Sink> sinks, Path staged, List<MoveTask> moves, Optional<Table> table, Path destination) {
  /** A file sink of a plan and the task that runs it. */
  public record Sink(Task<?> task, FileSinkDesc desc) {}

  public PlannedOutput {
    sinks = List.copyOf(sinks);
    moves = List.copyOf(moves);
  }

  /** That of the first sink; the others differ from it by their directories only. */
  public FileSinkDesc desc() {
    return sinks.get(0).desc();
  }

  /** For messages: a table's name or a path. */
  public String name() {
    return table.map(Table::getFullyQualifiedName).orElseGet(() -> destination().toString());
  }

  public String bucket() {
    return ObjectKeys.bucketOf(destination());
  }

  static PlannedOutput of(
      List<Sink> sinks,
      Path staged,
      List<MoveTask> moves,
      Optional<Table> table,
      Configuration conf)
      throws IOException {
    Path path = destination(sinks.get(0).desc(), loadFile(moves), table);
    return new PlannedOutput(
        sinks,
        staged,
        moves,
        table,
        path.toUri().getAuthority() == null ? path.getFileSystem(conf).makeQualified(path) : path);
  }

  private static Path destination(
      FileSinkDesc sink, Optional<LoadFileDesc> loadFile, Optional<Table> table) {
    if (loadFile.isPresent()) {
      return loadFile.get().getTargetDir();
    }
    // The sink of a table that is to be created names only a place for staging.
    Path path =
        sink.isCTASorCM() && table.isPresent() && table.get().getPath() != null
            ? table.get().getPath()
            : sink.getDestPath();
    DynamicPartitionCtx context = sink.getDynPartCtx();
    return context == null || context.getSPPath() == null
        ? path
        : new Path(path, context.getSPPath());
  }

  /** What is done with the files where they belong to no table, or to one that is not there yet. */
  public Optional<LoadFileDesc> loadFile() {
    return loadFile(moves);
  }

  private static Optional<LoadFileDesc> loadFile(List<MoveTask> moves) {
    return moves.stream()
        .filter(move -> move.getWork().getLoadFileWork() != null)
        .map(move -> move.getWork().getLoadFileWork())
        .findFirst();
  }

  /** Whether the files stay on the file system of the destination; a local directory is another. */
  boolean isLocal() {
    return loadFile().isPresent() && !loadFile().get().getIsDfsDir();
  }

  /** Hive's directory above those of the sinks, and above that of a static partition. */
  Path staging() {
    Path directory = desc().getFinalDirName();
    DynamicPartitionCtx partitions = desc().getDynPartCtx();
    if (partitions != null && partitions.getSPPath() != null) {
      Path fixed = new Path(partitions.getSPPath());
      if (directory.toString().endsWith(Path.SEPARATOR + fixed)) {
        for (int i = 0; i < fixed.depth(); i++) {
          directory = directory.getParent();
        }
      }
    }
    return directory.getParent();
  }

  /**
   * The directories of the branches of a UNION ALL in that one; none where there are no branches.
   */
  public Set<String> branches() {
    return sinks.stream()
        .map(Sink::desc)
        .filter(FileSinkDesc::isLinkedFileSink)
        .map(PlannedOutput::branch)
        .collect(Collectors.toSet());
  }

  public static String branch(FileSinkDesc sink) {
    return sink.getDirName().getName();
  }

  /** Whether the rows decide about the partition, at least about its last columns. */
  public boolean isDynamic() {
    DynamicPartitionCtx context = desc().getDynPartCtx();
    return context != null && context.getNumDPCols() > 0;
  }

  /**
   * The values that the statement itself gives the first partition columns; none where it does not.
   */
  public List<String> fixedValues() {
    List<String> values = new ArrayList<>();
    if (isDynamic() && desc().getDynPartCtx().getPartSpec() != null) {
      Map<String, String> given = desc().getDynPartCtx().getPartSpec();
      for (FieldSchema column : table.orElseThrow().getPartitionKeys()) {
        String value = given.get(column.getName());
        if (value == null) {
          break;
        }
        values.add(value);
      }
    }
    return values;
  }

  /** Whether all that lies there, or in the partitions that rows choose, is replaced. */
  public boolean overwrites() {
    return loadFile().isPresent()
        || moves.stream()
            .map(move -> move.getWork().getLoadTableWork())
            .anyMatch(load -> load != null && load.isInsertOverwrite());
  }

  /** Whether files of one may lie among those of the other. */
  public boolean overlaps(PlannedOutput other) {
    return ObjectKeys.isAtOrBelow(destination(), other.destination())
        || ObjectKeys.isAtOrBelow(other.destination(), destination());
  }
}
