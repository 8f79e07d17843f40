package io.zerorename.hive.commit;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.commit.GroupedListing;
import io.zerorename.core.job.CommitSettings;
import io.zerorename.core.s3a.S3AObjectStores;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.hive.metastore.CommittedContents;
import io.zerorename.hive.metastore.CountedFiles;
import io.zerorename.hive.metastore.FileTotals;
import io.zerorename.hive.metastore.StatisticsSnapshot;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hive.common.StatsSetupConst;
import org.apache.hadoop.hive.conf.HiveConf;
import org.apache.hadoop.hive.conf.HiveConf.ConfVars;
import org.apache.hadoop.hive.metastore.api.EnvironmentContext;
import org.apache.hadoop.hive.ql.exec.StatsTask;
import org.apache.hadoop.hive.ql.metadata.Hive;
import org.apache.hadoop.hive.ql.metadata.HiveException;
import org.apache.hadoop.hive.ql.metadata.Partition;
import org.apache.hadoop.hive.ql.metadata.Table;
import org.apache.hadoop.hive.ql.plan.BasicStatsWork;
import org.apache.hadoop.hive.ql.plan.LoadTableDesc;
import org.apache.hadoop.hive.ql.plan.StatsWork;
import org.apache.hadoop.hive.ql.stats.BasicStatsTask;
import org.apache.hadoop.hive.ql.stats.ColStatsProcessor;
import org.apache.hadoop.hive.ql.stats.StatsAggregator;
import org.apache.hadoop.hive.ql.stats.StatsCollectionContext;
import org.apache.hadoop.hive.ql.stats.StatsFactory;
import org.apache.thrift.TException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hive's statistics task behind a {@link CommitTask}. It writes the same statistics as Hive's own,
 * but asks the commit for the number and the size of the files, where Hive's lists every partition.
 * Partitions that the commit does not know are listed together. Where they are only two, or
 * anything else stands in the way, Hive's own runs.
 *
 * <p>Unless {@code hive.stats.reliable} is set, a statement whose rows are committed does not fail
 * because the statistics of columns cannot be written, as when the metastore's database chooses
 * that request as the victim of a deadlock. Who repeats such an INSERT has its rows twice.
 */
public final class CommittedStatsTask extends StatsTask {
  private static final long serialVersionUID = 1L;
  private static final Logger STATS_LOG = LoggerFactory.getLogger(CommittedStatsTask.class);

  /** By its name, because the constant of 4.0.1 has another one. */
  private static final String STATISTICS_PLACE = "hive.stats.dbclass";

  private final transient CommitTask commit;
  private transient Collection<Partition> loaded = List.of();

  /** Places, "" for the table, of whose rows nothing may be said: others have written there. */
  private final transient Set<String> changed = new HashSet<>();

  /** A table or a partition, and where its new statistics are put. */
  private record Place(Path location, String name, String key, Map<String, String> parameters) {}

  public CommittedStatsTask(CommitTask commit) {
    this.commit = requireNonNull(commit, "commit");
  }

  /** Does the work of Hive's task, under its name. */
  public void replace(StatsTask original) {
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
    if (commit.isEndedElsewhere()) {
      return markAfterOthers();
    }
    if (commit.isSuperseded()) {
      commit.finish();
      return 0;
    }
    boolean written = false;
    if (context.getExplainAnalyze() == null) {
      try {
        written = commit.contents().isPresent() && writeBasic(commit.contents().get());
      } catch (Exception | LinkageError e) {
        // Its own errors are Hive's business; it does all of this again.
        STATS_LOG.warn("Cannot take the statistics from the commit; Hive lists the files", e);
      }
    }
    int result = written ? writeColumns() : super.execute();
    if (result == 0) {
      result = forgetUncounted(written);
    }
    if (result != 0 && mayDoWithout()) {
      result = doWithout(written && uncounted().isEmpty() && changed.isEmpty(), result);
    }
    if (result == 0) {
      commit.finish();
    }
    return result;
  }

  /**
   * @return false where files are not known, and nothing was done
   */
  private boolean writeBasic(CommittedContents committed) throws Exception {
    Hive hive = getHive();
    Table table = hive.getTable(getWork().getFullTableName());
    List<Partition> partitions = table.isPartitioned() ? partitions(hive, table) : List.of();
    List<Place> places = new ArrayList<>();
    for (Partition partition : partitions) {
      places.add(
          new Place(
              partition.getDataLocation(),
              partition.getName(),
              BasicStatsTask.getAggregationPrefix(table, partition),
              partition.getParameters()));
    }
    if (!table.isPartitioned()) {
      places.add(
          new Place(
              table.getDataLocation(),
              "",
              BasicStatsTask.getAggregationPrefix(table, null),
              table.getTTable().getParameters()));
    }
    List<Path> unknown =
        places.stream()
            .filter(place -> !committed.areKnown(place.location(), place.name()))
            .map(Place::location)
            .toList();
    noteReplaced(places);
    if (places.isEmpty()
        || (!unknown.isEmpty() && unknown.size() < GroupedListing.SMALLEST_GROUP)) {
      return false;
    }
    CommittedContents contents =
        unknown.isEmpty() ? committed : committed.with(listed(table, unknown));
    noteChanged(places, contents);
    StatsCollectionContext gathered = new StatsCollectionContext(conf);
    gathered.setTask(basic().getSourceTask());
    gathered.setStatsTmpDir(basic().getStatsTmpDir());
    StatsAggregator aggregator = aggregator(gathered);
    for (Place place : places) {
      contents.note(place.location(), place.name(), prepared(place));
      addGathered(place, aggregator);
    }
    String name = nameOf(table);
    try {
      alter(hive, table, partitions);
    } catch (HiveException | TException e) {
      // A lost answer, perhaps: to add the rows once more would count them twice.
      if (!areWritten(hive, places)) {
        throw e;
      }
      STATS_LOG.info("The statistics of {} were written all the same", name, e);
    }
    aggregator.closeConnection(gathered);
    places.forEach(place -> tell(name, place));
    return true;
  }

  /**
   * To the rows of what a later commit has replaced, those of this statement must not be added. One
   * request, and only where the metastore says something else than before the commit.
   */
  private void noteReplaced(List<Place> places) throws IOException {
    Optional<StatisticsSnapshot> before = commit.statistics();
    if (basic().isTargetRewritten() || before.isEmpty()) {
      return;
    }
    List<Place> different =
        places.stream()
            .filter(
                place ->
                    isDynamic()
                        ? before.get().differ(place.name(), place.parameters())
                        : before.get().differInRows(place.name(), place.parameters()))
            .toList();
    if (!different.isEmpty()) {
      Predicate<Path> replacedLater = commit.replacedLater();
      different.stream()
          .filter(place -> replacedLater.test(place.location()))
          .forEach(place -> changed.add(place.name()));
    }
  }

  /**
   * An overwrite sets the number of rows. It leaves alone what others have written since it listed
   * the old files, and by then they have counted their rows. Those whose files it has replaced
   * before they had ended may count them yet.
   */
  private void noteChanged(List<Place> places, CommittedContents contents) {
    Optional<StatisticsSnapshot> before = commit.statistics();
    if (!basic().isTargetRewritten() || before.isEmpty()) {
      return;
    }
    for (Place place : places) {
      Map<String, String> own = new HashMap<>();
      contents.note(place.location(), place.name(), own);
      boolean differs =
          isDynamic()
              ? before.get().differ(place.name(), place.parameters())
              : before.get().differ(place.name(), place.parameters(), own);
      if (differs || commit.isBesideOthers()) {
        changed.add(place.name());
      }
    }
  }

  /** Whether the metastore says now what it was to say. */
  private boolean areWritten(Hive hive, List<Place> places) throws Exception {
    Table table = hive.getTable(getWork().getFullTableName());
    Map<String, Map<String, String>> now = new HashMap<>();
    if (table.isPartitioned()) {
      partitions(hive, table).forEach(it -> now.put(it.getName(), it.getParameters()));
    } else {
      now.put("", table.getTTable().getParameters());
    }
    return places.stream()
        .allMatch(
            place ->
                Stream.concat(
                        StatsSetupConst.SUPPORTED_STATS.stream(),
                        Stream.of(StatsSetupConst.COLUMN_STATS_ACCURATE))
                    .allMatch(
                        key ->
                            Objects.equals(
                                place.parameters().get(key),
                                now.getOrDefault(place.name(), Map.of()).get(key))));
  }

  private static void alter(Hive hive, Table table, List<Partition> partitions)
      throws HiveException, TException {
    if (table.isPartitioned()) {
      hive.alterPartitions(nameOf(table), partitions, asGiven(), true);
    } else {
      hive.alterTable(nameOf(table), table, asGiven(), true);
    }
  }

  /** What the metastore says of partitions that were there before may be wrong. */
  private Map<Path, FileTotals> listed(Table table, List<Path> places) throws IOException {
    Path root = table.getDataLocation();
    try (S3AObjectStores stores = new S3AObjectStores(conf)) {
      return CountedFiles.of(
          stores, CommitSettings.from(conf, ObjectKeys.bucketOf(root)), root, places);
    }
  }

  private List<Partition> partitions(Hive hive, Table table) throws Exception {
    if (!isDynamic()) {
      Map<String, String> named = basic().getLoadTableDesc().getPartitionSpec();
      return List.of(hive.getPartition(table, named, false));
    }
    return hive.getPartitionsByNames(table, loaded.stream().map(Partition::getName).toList());
  }

  private boolean isDynamic() {
    LoadTableDesc load = basic().getLoadTableDesc();
    return load != null && load.getDPCtx() != null && load.getDPCtx().getNumDPCols() > 0;
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

  /** What must be said before the numbers of the files; the order is Hive's. */
  private Map<String, String> prepared(Place place) {
    Map<String, String> parameters = place.parameters();
    if (basic().isTargetRewritten()) {
      StatsSetupConst.setBasicStatsState(parameters, StatsSetupConst.TRUE);
    }
    if (!getWork().hasColStats()) {
      StatsSetupConst.clearColumnStatsState(parameters);
    }
    if (basic().isClearAggregatorStats() || changed.contains(place.name())) {
      StatsSetupConst.setBasicStatsState(parameters, StatsSetupConst.FALSE);
    }
    return parameters;
  }

  /** What the tasks have counted: rows, and their raw size. */
  private void addGathered(Place place, StatsAggregator aggregator) {
    Map<String, String> parameters = place.parameters();
    if (!StatsSetupConst.areBasicStatsUptoDate(parameters)) {
      return;
    }
    for (String type : StatsSetupConst.STATS_REQUIRE_COMPUTE) {
      String value = aggregator.aggregateStats(place.key(), type);
      if (value != null && !value.isEmpty()) {
        String before = basic().isTargetRewritten() ? null : parameters.get(type);
        long sum = Long.parseLong(value) + (before == null ? 0 : Long.parseLong(before));
        parameters.put(type, Long.toString(sum));
      }
    }
  }

  private void tell(String table, Place place) {
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

  private int writeColumns() {
    StatsWork stats = getWork();
    if (!stats.hasColStats()) {
      return 0;
    }
    try {
      Hive hive = getHive();
      ColStatsProcessor columns = new ColStatsProcessor(stats.getColStats(), conf);
      columns.initialize(context.getOpContext());
      return columns.process(hive, hive.getTable(stats.getFullTableName()));
    } catch (Exception e) {
      STATS_LOG.error("Cannot write the statistics of columns", e);
      setException(e);
      return 1;
    }
  }

  private boolean mayDoWithout() {
    return commit.contents().isPresent()
        && getWork().hasColStats()
        && !conf.getBoolVar(ConfVars.HIVE_STATS_RELIABLE);
  }

  /**
   * Makes sure that statistics in which the new rows are missing are not taken for right, as they
   * are after a failure of Hive's own task.
   *
   * @param basicWritten whether number and size of the files, and of rows, are surely right
   * @param failed the task's result if that is impossible
   */
  private int doWithout(boolean basicWritten, int failed) {
    Throwable cause = getException();
    try {
      String name = mark(basicWritten);
      STATS_LOG.warn(
          "The statistics of {} could not be written and are marked as unknown", name, cause);
      console.printError(
          "zero-rename: the statistics of "
              + name
              + " could not be written and are marked as unknown. Its rows are committed. ANALYZE"
              + " TABLE ... COMPUTE STATISTICS FOR COLUMNS makes them. The cause: "
              + cause);
      setException(null);
      return 0;
    } catch (Exception e) {
      STATS_LOG.error(
          "Cannot mark the statistics of {} as unknown", getWork().getFullTableName(), e);
      return failed;
    }
  }

  /**
   * Marks statistics as unknown.
   *
   * @param basicWritten whether those of columns only
   * @return the table's name
   */
  private String mark(boolean basicWritten) throws Exception {
    Hive hive = getHive();
    Table table = hive.getTable(getWork().getFullTableName());
    mark(hive, table, table.isPartitioned() ? partitions(hive, table) : List.of(), basicWritten);
    return nameOf(table);
  }

  private static void mark(Hive hive, Table table, List<Partition> partitions, boolean basicWritten)
      throws HiveException, TException {
    partitions.forEach(partition -> forget(partition.getParameters(), basicWritten));
    if (!table.isPartitioned()) {
      forget(table.getTTable().getParameters(), basicWritten);
    }
    alter(hive, table, partitions);
  }

  /** Nobody knows whether the rows of this statement are still there, and which others are. */
  private int markAfterOthers() {
    try {
      console.printInfo(
          "zero-rename: the statistics of "
              + mark(false)
              + " are marked as unknown, because another process has ended the commit. ANALYZE"
              + " TABLE ... COMPUTE STATISTICS FOR COLUMNS makes them.");
    } catch (Exception e) {
      STATS_LOG.error(
          "Cannot mark the statistics of {} as unknown", getWork().getFullTableName(), e);
      if (conf.getBoolVar(ConfVars.HIVE_STATS_RELIABLE)) {
        setException(e);
        return 1;
      }
    }
    commit.finish();
    return 0;
  }

  private static void forget(Map<String, String> parameters, boolean basicWritten) {
    if (basicWritten) {
      StatsSetupConst.clearColumnStatsState(parameters);
    } else {
      parameters.remove(StatsSetupConst.COLUMN_STATS_ACCURATE);
    }
  }

  /**
   * Takes back what the metastore says now of places with files of others: to decide whether the
   * columns of a partition are known it may look at another one, as it pairs the names of a request
   * with partitions in another order.
   *
   * @param written whether this task has written the basic statistics, and not Hive's own
   */
  private int forgetUncounted(boolean written) {
    Set<String> names = new HashSet<>();
    if (getWork().hasColStats()) {
      names.addAll(uncounted());
    }
    if (getWork().hasColStats() || !written) {
      names.addAll(changed);
    }
    if (names.isEmpty()) {
      return 0;
    }
    try {
      Hive hive = getHive();
      Table table = hive.getTable(getWork().getFullTableName());
      mark(
          hive,
          table,
          table.isPartitioned() ? hive.getPartitionsByNames(table, List.copyOf(names)) : List.of(),
          false);
      return 0;
    } catch (HiveException | TException e) {
      STATS_LOG.error("Cannot say that rows of {} are not known", names, e);
      setException(e);
      return 1;
    }
  }

  private Set<String> uncounted() {
    return commit.contents().map(CommittedContents::uncounted).orElse(Set.of());
  }

  private static String nameOf(Table table) {
    return table.getDbName() + "." + table.getTableName();
  }

  private static EnvironmentContext asGiven() {
    EnvironmentContext context = new EnvironmentContext();
    context.putToProperties(StatsSetupConst.DO_NOT_UPDATE_STATS, StatsSetupConst.TRUE);
    return context;
  }
}
