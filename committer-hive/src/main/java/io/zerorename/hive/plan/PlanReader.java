package io.zerorename.hive.plan;

import io.zerorename.core.config.S3AFileSystems;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.hive.metastore.CustomLocations;
import io.zerorename.hive.metastore.InsertTarget;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hive.conf.HiveConf;
import org.apache.hadoop.hive.ql.ddl.DDLTask;
import org.apache.hadoop.hive.ql.exec.ConditionalTask;
import org.apache.hadoop.hive.ql.exec.DependencyCollectionTask;
import org.apache.hadoop.hive.ql.exec.MoveTask;
import org.apache.hadoop.hive.ql.exec.StatsTask;
import org.apache.hadoop.hive.ql.exec.Task;
import org.apache.hadoop.hive.ql.metadata.Hive;
import org.apache.hadoop.hive.ql.metadata.HiveException;
import org.apache.hadoop.hive.ql.metadata.Table;
import org.apache.hadoop.hive.ql.plan.FileSinkDesc;
import org.apache.hadoop.hive.ql.plan.LoadFileDesc;
import org.apache.hadoop.hive.ql.plan.LoadTableDesc;
import org.apache.hadoop.hive.ql.plan.TezWork;

/** Reads a finished plan and changes nothing in it. */
public final class PlanReader {
  private final List<Task<?>> tasks;
  private final List<PlannedSink> sinks;
  private final List<PlannedOutput> outputs;

  /**
   * @param hive asked for tables, where the plan does not hold them as they are now
   */
  public PlanReader(Statement statement, List<Task<?>> rootTasks, HiveConf conf, Hive hive)
      throws HiveException, IOException {
    this.tasks = PlanTasks.all(rootTasks);
    this.sinks =
        tasks.stream()
            .flatMap(task -> PlanTasks.sinksOf(task).stream().map(it -> new PlannedSink(task, it)))
            .toList();
    Map<Path, List<PlannedSink>> toS3 = new LinkedHashMap<>();
    for (PlannedSink sink : sinks) {
      FileSinkDesc desc = sink.desc();
      if (desc.getDestPath() != null
          && !desc.getIsQuery()
          && S3AFileSystems.holds(desc.getDestPath(), conf)) {
        toS3.computeIfAbsent(desc.getFinalDirName(), it -> new ArrayList<>()).add(sink);
      }
    }
    List<PlannedOutput> found = new ArrayList<>();
    for (Map.Entry<Path, List<PlannedSink>> entry : toS3.entrySet()) {
      List<MoveTask> moves = movesFrom(entry.getKey());
      PlannedOutput output =
          PlannedOutput.of(
              entry.getValue(),
              moves,
              tableOf(statement, entry.getValue().get(0).desc(), moves, conf, hive),
              conf);
      if (!output.isLocal() && S3AFileSystems.holds(output.destination(), conf)) {
        found.add(output);
      }
    }
    this.outputs = found.stream().sorted(Comparator.comparingInt(this::turn)).toList();
  }

  /** When Hive moves the output, counted in tasks. */
  private int turn(PlannedOutput output) {
    return output.moves().isEmpty() ? tasks.size() : tasks.indexOf(output.moves().get(0));
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
  boolean sharesTable(PlannedOutput output) {
    return outputs.stream()
        .anyMatch(
            other ->
                !other.equals(output)
                    && (other.isDynamic() || output.isDynamic())
                    && other.table().isPresent()
                    && other.name().equals(output.name()));
  }

  /** The name of a place, and where it is if the statement writes to another of that name. */
  public String name(PlannedOutput output) {
    long sameName = outputs.stream().filter(it -> it.name().equals(output.name())).count();
    return sameName == 1 ? output.name() : output.name() + " (" + output.destination() + ")";
  }

  /**
   * The INSERT that writes to a place.
   *
   * @throws NotEligible where it is none, or does not stand for itself
   */
  PlannedInsert insert(PlannedOutput output) throws NotEligible {
    if (output.table().filter(Table::isNonNative).isPresent()) {
      // No task moves what its handler writes.
      throw new NotEligible(FallbackReason.STORAGE_HANDLER);
    }
    if (tasks.stream().anyMatch(ConditionalTask.class::isInstance)) {
      throw new NotEligible(FallbackReason.CONDITIONAL_TASK);
    }
    if (output.sinks().stream()
        .anyMatch(
            sink ->
                sink.desc().isLinkedFileSink() && !(sink.task().getWork() instanceof TezWork))) {
      throw new NotEligible(FallbackReason.UNION);
    }
    if (output.sinks().stream().map(sink -> sink.desc().getDirName()).distinct().count()
        < output.sinks().size()) {
      throw new NotEligible(FallbackReason.PLAN_SHAPE, "several sinks write to one directory");
    }
    MoveTask move = move(output);
    boolean loadsTable = move.getWork().getLoadTableWork() != null;
    boolean loadsFile = move.getWork().getLoadFileWork() != null;
    if (loadsTable == loadsFile || move.getWork().getLoadMultiFilesWork() != null) {
      throw new NotEligible(FallbackReason.PLAN_SHAPE, "a task moves several outputs");
    }
    refuseOverlaps(output);
    return new PlannedInsert(
        output,
        target(output),
        predecessors(move, output),
        move,
        statisticsAfter(move),
        stagesAlone(output) ? Optional.of(output.staging()) : Optional.empty(),
        CustomLocations.none());
  }

  private static MoveTask move(PlannedOutput output) throws NotEligible {
    if (output.moves().size() != 1) {
      throw new NotEligible(
          FallbackReason.PLAN_SHAPE, output.moves().size() + " tasks move the output");
    }
    return output.moves().get(0);
  }

  /** On Tez the sinks of a UNION ALL, and all of a prepared statement, are copies without it. */
  private static Optional<Table> tableOf(
      Statement statement, FileSinkDesc sink, List<MoveTask> moves, HiveConf conf, Hive hive)
      throws HiveException {
    Optional<Table> planned = plannedTable(sink, moves, conf, hive);
    // Of a prepared statement the plan holds the table of its preparation, with its properties.
    return statement != Statement.EXECUTE || planned.isEmpty() || sink.isCTASorCM()
        ? planned
        : Optional.ofNullable(
            hive.getTable(planned.get().getDbName(), planned.get().getTableName(), false));
  }

  private static Optional<Table> plannedTable(
      FileSinkDesc sink, List<MoveTask> moves, HiveConf conf, Hive hive) throws HiveException {
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

  private static InsertTarget target(PlannedOutput output) throws NotEligible {
    if ((output.table().isEmpty() || output.desc().isCTASorCM())
        && ObjectKeys.prefixOf(output.destination()).isEmpty()) {
      throw new NotEligible(FallbackReason.STATEMENT, "it would replace a whole bucket");
    }
    if (output.table().isEmpty()) {
      if (output.loadFile().isEmpty() || output.isDynamic() || output.desc().isCTASorCM()) {
        throw new NotEligible(FallbackReason.STATEMENT);
      }
      return InsertTarget.directory(output.destination());
    }
    Table table = output.table().get();
    if (!output.desc().isCTASorCM()) {
      return InsertTarget.table(table);
    }
    if (output.loadFile().isEmpty() && table.getPath() == null) {
      throw new NotEligible(FallbackReason.STATEMENT, "the new table has no location yet");
    }
    return InsertTarget.newTable(table, output.destination());
  }

  private List<MoveTask> movesFrom(Path directory) {
    return tasks.stream()
        .filter(MoveTask.class::isInstance)
        .map(MoveTask.class::cast)
        .filter(move -> movesOutputOf(move, directory))
        .toList();
  }

  private static boolean movesOutputOf(MoveTask move, Path staging) {
    return (move.getWork().getLoadTableWork() != null
            && staging.equals(move.getWork().getLoadTableWork().getSourcePath()))
        || (move.getWork().getLoadFileWork() != null
            && staging.equals(move.getWork().getLoadFileWork().getSourcePath()));
  }

  /** What of two targets' files replaces which is left to Hive's order of moves. */
  private void refuseOverlaps(PlannedOutput output) throws NotEligible {
    for (PlannedOutput other : outputs) {
      if (!other.equals(output) && other.overlaps(output)) {
        throw new NotEligible(FallbackReason.MULTI_INSERT, other.destination().toString());
      }
    }
  }

  private static Optional<StatsTask> statisticsAfter(MoveTask move) {
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

  private boolean stagesAlone(PlannedOutput output) {
    Path staging = output.staging();
    List<Path> others = new ArrayList<>();
    for (PlannedSink sink : sinks) {
      if (!output.sinks().contains(sink)) {
        others.add(sink.desc().getDirName());
      }
      if (sink.desc().getTmpStatsDir() != null) {
        others.add(new Path(sink.desc().getTmpStatsDir()));
      }
    }
    return others.stream().noneMatch(other -> ObjectKeys.isAtOrBelow(other, staging));
  }

  /**
   * All tasks that the move waits for: those that write, or, as on Tez, a task that does nothing
   * but wait for them and for others, or the one that creates a partitioned table.
   */
  private static List<Task<?>> predecessors(MoveTask move, PlannedOutput output)
      throws NotEligible {
    List<Task<?>> parents = move.getParentTasks() == null ? List.of() : move.getParentTasks();
    for (PlannedSink sink : output.sinks()) {
      if (parents.stream().noneMatch(parent -> waitsFor(parent, sink.task()))) {
        throw new NotEligible(
            FallbackReason.PLAN_SHAPE, "the task that moves does not follow the one that writes");
      }
    }
    for (Task<?> parent : parents) {
      if (output.sinks().stream().noneMatch(sink -> waitsFor(parent, sink.task()))) {
        throw new NotEligible(
            FallbackReason.PLAN_SHAPE, "the task that moves waits for another that does not write");
      }
    }
    return parents;
  }

  private static boolean waitsFor(Task<?> task, Task<?> writer) {
    return task.equals(writer)
        || ((task instanceof DependencyCollectionTask || task instanceof DDLTask)
            && task.getParentTasks() != null
            && task.getParentTasks().stream().anyMatch(parent -> waitsFor(parent, writer)));
  }
}
