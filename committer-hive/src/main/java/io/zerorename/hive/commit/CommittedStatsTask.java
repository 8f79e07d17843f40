package io.zerorename.hive.commit;

import io.zerorename.core.job.CommitSettings;
import io.zerorename.core.s3a.S3AObjectStores;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.hive.metastore.FileTotals;
import io.zerorename.hive.metastore.StoredStatistics;
import io.zerorename.hive.metastore.StoredStatistics.Place;
import java.io.IOException;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hive.common.StatsSetupConst;
import org.apache.hadoop.hive.conf.HiveConf;
import org.apache.hadoop.hive.conf.HiveConf.ConfVars;
import org.apache.hadoop.hive.ql.exec.StatsTask;
import org.apache.hadoop.hive.ql.metadata.Hive;
import org.apache.hadoop.hive.ql.metadata.HiveException;
import org.apache.hadoop.hive.ql.metadata.Partition;
import org.apache.hadoop.hive.ql.metadata.Table;
import org.apache.hadoop.hive.ql.plan.BasicStatsWork;
import org.apache.hadoop.hive.ql.stats.ColStatsProcessor;
import org.apache.hadoop.hive.ql.stats.StatsAggregator;
import org.apache.hadoop.hive.ql.stats.StatsCollectionContext;
import org.apache.hadoop.hive.ql.stats.StatsFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hive's statistics task behind a {@link CommitTask}. It writes the same statistics as Hive's own,
 * but takes the number and the size of the files from the commit, where Hive's lists every
 * partition. Partitions that the commit does not know are listed together.
 *
 * <p>Unless {@code hive.stats.reliable} is set, a statement whose rows are committed does not fail
 * because its statistics cannot be written, as when the metastore's database chooses that request
 * as the victim of a deadlock: they are marked as unknown. A user who repeats such an INSERT has
 * its rows twice.
 */
public final class CommittedStatsTask extends StatsTask {
  private static final long serialVersionUID = 1L;
  private static final Logger STATS_LOG = LoggerFactory.getLogger(CommittedStatsTask.class);

  /** By its name, because the constant of 4.0.1 has another one. */
  private static final String STATISTICS_PLACE = "hive.stats.dbclass";

  private final transient CommitTask commit;
  private transient Collection<Partition> loaded = List.of();

  /** Places whose number of rows is not known, because others have written there. */
  private final transient Set<String> changed = new HashSet<>();

  /** Does the work of Hive's task, under its name. */
  public CommittedStatsTask(CommitTask commit, StatsTask original) {
    this.commit = commit;
    setId(original.getId());
    setWork(original.getWork());
    setFetchSource(original.isFetchSource());
  }

  @Override
  @SuppressWarnings("unchecked")
  protected void receiveFeed(FeedType type, Object value) {
    super.receiveFeed(type, value);
    if (type == FeedType.DYNAMIC_PARTITIONS) {
      loaded = (Collection<Partition>) value;
    }
  }

  @Override
  public int execute() {
    if (commit.committed().isEmpty()) {
      // EXPLAIN ANALYZE.
      return super.execute();
    }
    CommittedInsert committed = commit.committed().get();
    int result = committed.superseded() ? 0 : execute(committed);
    if (result == 0) {
      commit.finish();
    }
    return result;
  }

  private int execute(CommittedInsert committed) {
    if (committed.isCompletedElsewhere()) {
      // The rows of this statement may have been replaced, or lie beside rows of others.
      return markAsUnknown(
          false,
          "another process has ended the commit",
          conf.getBoolVar(ConfVars.HIVE_STATS_RELIABLE) ? 1 : 0);
    }
    boolean basicWritten = false;
    try {
      if (!writeBasic(committed)) {
        return super.execute();
      }
      basicWritten = true;
      if (getWork().hasColStats()) {
        writeColumns(committed.uncounted());
      }
      return 0;
    } catch (Exception | LinkageError e) {
      STATS_LOG.error(
          "ZR-5209: Cannot write the statistics of {}", getWork().getFullTableName(), e);
      setException(e);
      if (conf.getBoolVar(ConfVars.HIVE_STATS_RELIABLE)) {
        return 1;
      }
      boolean areKnown = basicWritten && changed.isEmpty() && committed.uncounted().isEmpty();
      // As Hive, whose MoveTask alters a table, and a partition that the statement names, and fails
      // where that is refused; where rows choose the partitions it does not.
      return markAsUnknown(
          areKnown,
          "they could not be written (" + e + ")",
          commit.getWork().isDynamic() && !basicWritten ? 0 : 1);
    }
  }

  /**
   * @return false where there is nothing to write to
   */
  private boolean writeBasic(CommittedInsert committed) throws Exception {
    StoredStatistics stored = stored();
    List<Place> places = stored.places();
    if (places.isEmpty()) {
      return false;
    }
    boolean rewritten = basic().isTargetRewritten();
    List<Place> different =
        places.stream().filter(it -> it.isChangedSince(committed.before())).toList();
    if (rewritten) {
      // Another process may yet count rows that this commit has replaced.
      (committed.isBesideOthers() ? places : different).forEach(it -> changed.add(it.name()));
    } else if (!different.isEmpty()) {
      // Rows must not be added to those of what a later commit has replaced. One request.
      Predicate<Path> replacedLater = committed.report().replacedLater();
      different.stream()
          .filter(it -> replacedLater.test(it.location()))
          .forEach(it -> changed.add(it.name()));
    }
    Set<String> created =
        committed.created().stream().map(Partition::getName).collect(Collectors.toSet());
    Map<Path, FileTotals> files = new HashMap<>(committed.files());
    List<Path> unknown =
        places.stream()
            .filter(it -> !created.contains(it.name()) && !files.containsKey(it.location()))
            .map(Place::location)
            .toList();
    if (!unknown.isEmpty()) {
      files.putAll(listed(stored.table().getDataLocation(), unknown));
    }
    StatsCollectionContext gathered = new StatsCollectionContext(conf);
    gathered.setTask(basic().getSourceTask());
    gathered.setStatsTmpDir(basic().getStatsTmpDir());
    StatsAggregator aggregator = aggregator(gathered);
    for (Place place : places) {
      place.update(
          rewritten,
          getWork().hasColStats(),
          basic().isClearAggregatorStats() || changed.contains(place.name()),
          Optional.ofNullable(files.get(place.location())),
          type -> aggregator.aggregateStats(place.gatheredAs(), type));
    }
    stored.write();
    aggregator.closeConnection(gathered);
    places.forEach(place -> say(stored.table().getFullyQualifiedName(), place));
    return true;
  }

  /** What the metastore says of partitions that were there before may be wrong. */
  private Map<Path, FileTotals> listed(Path table, List<Path> places) throws IOException {
    try (S3AObjectStores stores = new S3AObjectStores(conf)) {
      return FileTotals.in(
          stores, CommitSettings.from(conf, ObjectKeys.bucketOf(table)), table, places);
    }
  }

  /** The present statistics of what the statement has written. */
  private StoredStatistics stored() throws HiveException {
    Hive hive = getHive();
    Table table = hive.getTable(getWork().getFullTableName());
    List<Partition> partitions = List.of();
    if (table.isPartitioned() && commit.getWork().isDynamic()) {
      partitions =
          hive.getPartitionsByNames(table, loaded.stream().map(Partition::getName).toList());
    } else if (table.isPartitioned()) {
      Map<String, String> named = basic().getLoadTableDesc().getPartitionSpec();
      // Another session may have dropped it meanwhile.
      partitions = Stream.ofNullable(hive.getPartition(table, named, false)).toList();
    }
    return new StoredStatistics(hive, table, partitions);
  }

  private BasicStatsWork basic() {
    return getWork().getBasicStatsWork();
  }

  private StatsAggregator aggregator(StatsCollectionContext gathered) throws Exception {
    StatsFactory factory =
        StatsFactory.newFactory(conf.getVar(HiveConf.getConfVars(STATISTICS_PLACE)), conf);
    if (factory == null
        || basic().getSourceTask() == null
        || !factory.getStatsPublisher().init(gathered)) {
      throw new IllegalStateException("There is no place where tasks publish statistics.");
    }
    StatsAggregator aggregator = factory.getStatsAggregator();
    if (!aggregator.connect(gathered)) {
      throw new IllegalStateException("What tasks have published cannot be read.");
    }
    return aggregator;
  }

  private void say(String table, Place place) {
    String message =
        (place.name().isEmpty() ? "Table " + table : "Partition " + place.name())
            + " stats: "
            + StatsSetupConst.SUPPORTED_STATS.stream()
                .filter(place.parameters()::containsKey)
                .map(type -> type + "=" + place.parameters().get(type))
                .toList();
    if (conf.getBoolVar(ConfVars.TEZ_EXEC_SUMMARY)) {
      console.printInfo(message);
    } else {
      STATS_LOG.info(message);
    }
  }

  /**
   * Marks statistics as unknown again where other writers have added files. The metastore may
   * mismatch the names and the partitions of one request, and so take the columns of a partition
   * for accurate by reading another one.
   */
  private void writeColumns(Set<String> uncounted) throws Exception {
    Hive hive = getHive();
    ColStatsProcessor columns = new ColStatsProcessor(getWork().getColStats(), conf);
    columns.initialize(context.getOpContext());
    // Never another result than 0.
    columns.process(hive, hive.getTable(getWork().getFullTableName()));
    Set<String> names = new HashSet<>(uncounted);
    names.addAll(changed);
    if (!names.isEmpty()) {
      Table table = hive.getTable(getWork().getFullTableName());
      List<Partition> partitions =
          table.isPartitioned() ? hive.getPartitionsByNames(table, List.copyOf(names)) : List.of();
      new StoredStatistics(hive, table, partitions).forget(false);
    }
  }

  /**
   * Makes sure that statistics are not taken for right in which the new rows are missing, or which
   * others may have changed; Hive leaves them so where its own task fails.
   *
   * @param ofColumnsOnly whether number and size of the files, and of rows, are surely right
   * @param failed the task's result if that is impossible
   */
  private int markAsUnknown(boolean ofColumnsOnly, String why, int failed) {
    try {
      StoredStatistics stored = stored();
      stored.forget(ofColumnsOnly);
      console.printError(
          ("zero-rename: ZR-5212: the statistics of %s are marked as unknown: %s. Its rows are"
                  + " committed. ANALYZE TABLE ... COMPUTE STATISTICS FOR COLUMNS makes them.")
              .formatted(stored.table().getFullyQualifiedName(), why));
      setException(null);
      return 0;
    } catch (Exception e) {
      STATS_LOG.info("Statistics cannot be marked as unknown", e);
      console.printError(
          ("zero-rename: ZR-5246: the statistics of %s do not count this statement's rows, and could"
                  + " not be marked as unknown: %s Queries that are answered from statistics are"
                  + " wrong until ANALYZE TABLE ... COMPUTE STATISTICS was run.")
              .formatted(getWork().getFullTableName(), e.getMessage()));
      setException(failed == 0 ? null : e);
      return failed;
    }
  }
}
