package io.zerorename.hive.plan;

import io.zerorename.core.config.S3AFileSystems;
import io.zerorename.core.store.ObjectKeys;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hive.conf.HiveConf;
import org.apache.hadoop.hive.ql.exec.ConditionalTask;
import org.apache.hadoop.hive.ql.exec.MoveTask;
import org.apache.hadoop.hive.ql.exec.StatsTask;
import org.apache.hadoop.hive.ql.exec.Task;
import org.apache.hadoop.hive.ql.metadata.Hive;
import org.apache.hadoop.hive.ql.metadata.HiveException;
import org.apache.hadoop.hive.ql.metadata.Table;
import org.apache.hadoop.hive.ql.plan.ConditionalResolverMergeFiles;
import org.apache.hadoop.hive.ql.plan.ConditionalResolverMergeFiles.ConditionalResolverMergeFilesCtx;
import org.apache.hadoop.hive.ql.plan.FileSinkDesc;
import org.apache.hadoop.hive.ql.plan.LoadFileDesc;
import org.apache.hadoop.hive.ql.plan.LoadTableDesc;

/** Reads a finished plan and changes nothing in it. */
public final class PlanReader {
  private final HiveConf conf;
  private final Hive hive;
  private final List<Task<?>> tasks;
  private final List<PlannedOutput.Sink> sinks;
  private final List<PlannedOutput> outputs;

  /**
   * @param hive returns tables that the plan does not hold as they are now
   */
  public PlanReader(List<Task<?>> rootTasks, HiveConf conf, Hive hive)
      throws HiveException, IOException {
    this.conf = conf;
    this.hive = hive;
    this.tasks = PlanTasks.all(rootTasks);
    this.sinks =
        tasks.stream()
            .flatMap(
                task ->
                    PlanTasks.sinksOf(task).stream().map(it -> new PlannedOutput.Sink(task, it)))
            .toList();
    this.outputs = findOutputs();
  }

  private List<PlannedOutput> findOutputs() throws HiveException, IOException {
    Map<Path, List<PlannedOutput.Sink>> toS3 = new LinkedHashMap<>();
    for (PlannedOutput.Sink sink : sinks) {
      FileSinkDesc desc = sink.desc();
      if (desc.getDestPath() != null
          && !desc.getIsQuery()
          && S3AFileSystems.holds(desc.getDestPath(), conf)) {
        toS3.computeIfAbsent(desc.getFinalDirName(), it -> new ArrayList<>()).add(sink);
      }
    }
    List<PlannedOutput> found = new ArrayList<>();
    for (Map.Entry<Path, List<PlannedOutput.Sink>> entry : toS3.entrySet()) {
      Path staged = afterMerge(entry.getKey());
      List<MoveTask> moves = movesFrom(staged);
      Optional<Table> table = table(entry.getValue().get(0).desc(), moves);
      PlannedOutput output = PlannedOutput.of(entry.getValue(), staged, moves, table, conf);
      if (!output.isLocal() && S3AFileSystems.holds(output.destination(), conf)) {
        found.add(output);
      }
    }
    return found.stream().sorted(Comparator.comparingInt(this::positionOfMove)).toList();
  }

  /**
   * Where the files are that sinks write to a directory, once Hive has merged small ones
   * (GenMapRedUtils.createMRWorkForMergingFiles): a task decides at run time whether they are
   * merged into another directory, moved there, or both. It may also move them to their destination
   * itself.
   */
  private Path afterMerge(Path directory) {
    for (Task<?> task : tasks) {
      if (task instanceof ConditionalTask conditional
          && conditional.getResolver() instanceof ConditionalResolverMergeFiles
          && conditional.getResolverCtx() instanceof ConditionalResolverMergeFilesCtx context
          && conditional.getListTasks().get(0) instanceof MoveTask move
          && move.getWork().getLoadFileWork() != null
          && directory.equals(new Path(context.getDir()))) {
        return move.getWork().getLoadFileWork().getTargetDir();
      }
    }
    return directory;
  }

  private List<MoveTask> movesFrom(Path staging) {
    return tasks.stream()
        .filter(MoveTask.class::isInstance)
        .map(MoveTask.class::cast)
        .filter(
            move ->
                Stream.of(move.getWork().getLoadTableWork(), move.getWork().getLoadFileWork())
                    .anyMatch(load -> load != null && staging.equals(load.getSourcePath())))
        .toList();
  }

  private int positionOfMove(PlannedOutput output) {
    return output.moves().isEmpty() ? tasks.size() : tasks.indexOf(output.moves().get(0));
  }

  /** On Tez the sinks of a UNION ALL, and all of a prepared statement, are copies without it. */
  private Optional<Table> table(FileSinkDesc sink, List<MoveTask> moves) throws HiveException {
    if (sink.getTable() != null || moves.isEmpty()) {
      return Optional.ofNullable(sink.getTable());
    }
    LoadTableDesc load = moves.get(0).getWork().getLoadTableWork();
    if (load != null) {
      return Optional.ofNullable(
          load.getMdTable() != null
              ? load.getMdTable()
              : hive.getTable(load.getTable().getTableName(), false));
    }
    LoadFileDesc loadFile = moves.get(0).getWork().getLoadFileWork();
    return loadFile == null || loadFile.getCtasCreateTableDesc() == null
        ? Optional.empty()
        : Optional.of(loadFile.getCtasCreateTableDesc().toTable(conf));
  }

  /** All tasks, in the order in which they may run. */
  public List<Task<?>> tasks() {
    return tasks;
  }

  /**
   * The places on S3A that the statement puts files into and that outlive it, in the order in which
   * Hive moves the files there.
   */
  public List<PlannedOutput> outputs() {
    return outputs;
  }

  /** Whether it is run for EXPLAIN ANALYZE, which throws away what the tasks write. */
  public boolean onlyCountsRows() {
    return outputs.stream().anyMatch(it -> it.desc().getRuntimeStatsTmpDir() != null);
  }

  /** Whether rows choose among partitions of a table to which another output belongs as well. */
  public boolean sharesTable(PlannedOutput output) {
    return outputs.stream()
        .anyMatch(
            other ->
                !other.equals(output)
                    && (other.isDynamic() || output.isDynamic())
                    && other.table().isPresent()
                    && other.name().equals(output.name()));
  }

  /** The name of an output, with its location if the statement has another of that name. */
  public String name(PlannedOutput output) {
    long sameName = outputs.stream().filter(it -> it.name().equals(output.name())).count();
    return sameName == 1 ? output.name() : output.name() + " (" + output.destination() + ")";
  }

  /** The only task after a move, if it counts rows and files. */
  public static Optional<StatsTask> statisticsAfter(MoveTask move) {
    List<Task<?>> children = move.getChildTasks();
    if (children == null
        || children.size() != 1
        || !(children.get(0) instanceof StatsTask task)
        || !task.getClass().equals(StatsTask.class)
        || task.getWork().isFooterScan()
        || task.getWork().getBasicStatsWork() == null
        || task.getWork().getBasicStatsWork().getLoadTableDesc() == null) {
      return Optional.empty();
    }
    return Optional.of(task);
  }

  /** Hive's staging directory of an output; empty where something else is staged there as well. */
  public Optional<Path> stagingUsedOnlyBy(PlannedOutput output) {
    Path staging = output.staging();
    Stream<Path> directories =
        sinks.stream()
            .filter(sink -> !output.sinks().contains(sink))
            .map(sink -> sink.desc().getDirName());
    Stream<Path> statistics =
        sinks.stream()
            .filter(sink -> sink.desc().getTmpStatsDir() != null)
            .map(sink -> new Path(sink.desc().getTmpStatsDir()));
    return Stream.concat(directories, statistics)
            .anyMatch(other -> ObjectKeys.isAtOrBelow(other, staging))
        ? Optional.empty()
        : Optional.of(staging);
  }
}
