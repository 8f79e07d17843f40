package io.zerorename.spark;

import static java.util.Objects.requireNonNull;
import static java.util.stream.Collectors.joining;
import static org.apache.spark.sql.catalyst.catalog.ExternalCatalogUtils.getPartitionPathString;

import io.zerorename.core.config.S3AFileSystems;
import io.zerorename.core.store.ObjectKeys;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.spark.SparkContext;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.catalog.CatalogTable;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.SQLExecution;
import org.apache.spark.sql.execution.command.AlterTableAddPartitionCommand;
import org.apache.spark.sql.execution.command.CreateDataSourceTableAsSelectCommand;
import org.apache.spark.sql.execution.command.InsertIntoDataSourceDirCommand;
import org.apache.spark.sql.execution.datasources.InsertIntoHadoopFsRelationCommand;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.Option;
import scala.Tuple2;

/**
 * What the statement that is being executed does about files that are there. Spark informs a commit
 * protocol only if some are, and thereby not of a write that is decided and not visible yet: one
 * that is run again after its commit was interrupted must replace that one.
 *
 * @param mode what the user asked for
 * @param creates whether it fills the table that a CREATE TABLE AS SELECT of Hive has made; its
 *     mode is append
 * @param staticPrefix of the partitions that it writes, as a relative path; empty for all
 * @param insert the command, where it is an insert
 * @param hive of a table in a format of Hive's
 */
record PlannedWrite(
    SaveMode mode,
    boolean creates,
    String staticPrefix,
    Optional<InsertIntoHadoopFsRelationCommand> insert,
    Optional<HiveTableWrite> hive) {
  private static final Logger LOG = LoggerFactory.getLogger(PlannedWrite.class);
  private static final String EXECUTION_ID = "spark.sql.execution.id";

  PlannedWrite {
    requireNonNull(mode, "mode");
    requireNonNull(staticPrefix, "staticPrefix");
    requireNonNull(insert, "insert");
    requireNonNull(hive, "hive");
  }

  /**
   * Of the statement in whose thread this is called; empty where that is not known.
   *
   * @param path where it writes, as Spark names it: Spark 4 executes all inserts of one statement
   *     at once
   */
  static Optional<PlannedWrite> current(Path path) {
    Optional<Long> execution = execution();
    if (execution.isEmpty()) {
      return Optional.empty();
    }
    LogicalPlan plan = SQLExecution.getQueryExecution(execution.get()).logical();
    Optional<PlannedWrite> whole = of(plan, execution.get());
    List<LogicalPlan> inserts = whole.isPresent() ? List.of() : inserts(plan, path);
    return inserts.size() == 1 ? of(inserts.get(0), execution.get()) : whole;
  }

  /**
   * Whether the statement is an append to a table that it makes. To Spark that is an overwrite, and
   * a second such statement, which finds the table, is none.
   *
   * @param destination fully qualified
   */
  static boolean makesWhatItAppendsTo(Path destination) {
    return execution()
        .filter(
            id ->
                HiveTableCreation.isWithin(
                    id,
                    plan ->
                        plan instanceof CreateDataSourceTableAsSelectCommand create
                            && create.mode() == SaveMode.Append
                            && locationOf(create.table()).equals(destination)))
        .isPresent();
  }

  /** Also of a table that is not there yet. */
  private static Path locationOf(CatalogTable table) {
    return new Path(
        table.storage().locationUri().isDefined()
            ? table.location()
            : SparkSession.active().sessionState().catalog().defaultTablePath(table.identifier()));
  }

  /** Whether the statement has several inserts that write there, which cannot be told apart. */
  static boolean isOneOfSeveral(Path path) {
    return execution()
        .filter(id -> inserts(SQLExecution.getQueryExecution(id).logical(), path).size() > 1)
        .isPresent();
  }

  private static List<LogicalPlan> inserts(LogicalPlan plan, Path path) {
    if (plan instanceof InsertIntoHadoopFsRelationCommand insert) {
      return insert.outputPath().equals(path) ? List.of(plan) : List.of();
    }
    return EitherScala.<LogicalPlan>list(plan, "children").stream()
        .flatMap(it -> inserts(it, path).stream())
        .toList();
  }

  private static Optional<Long> execution() {
    String id = SparkContext.getOrCreate().getLocalProperty(EXECUTION_ID);
    if (id == null || SQLExecution.getQueryExecution(Long.parseLong(id)) == null) {
      LOG.debug("No statement is known for execution {}", id);
      return Optional.empty();
    }
    return Optional.of(Long.parseLong(id));
  }

  /**
   * The insert whose files Hive's client is going to move to a table, where one keeps Spark's own
   * plan; empty for any other write.
   *
   * @param staging where it writes
   */
  static Optional<StagedInsert> movedFrom(Path staging) throws IOException {
    Optional<Long> execution = execution();
    return execution.isPresent()
        ? StagedInsert.in(SQLExecution.getQueryExecution(execution.get()).logical(), staging)
        : Optional.empty();
  }

  /** Whether it is an overwrite that keeps Spark's own plan, of a table or a directory. */
  static boolean isOverwriteOfHive() {
    return execution()
        .filter(id -> isOverwriteOfHive(SQLExecution.getQueryExecution(id).logical()))
        .isPresent();
  }

  private static boolean isOverwriteOfHive(LogicalPlan plan) {
    // By their names: in a Spark without Hive support they are not there.
    return plan.getClass()
            .getName()
            .startsWith("org.apache.spark.sql.hive.execution.InsertIntoHive")
        ? EitherScala.<Boolean>call(plan, "overwrite")
        : EitherScala.<LogicalPlan>list(plan, "children").stream()
            .anyMatch(PlannedWrite::isOverwriteOfHive);
  }

  private static Optional<PlannedWrite> of(LogicalPlan plan, long execution) {
    if (plan instanceof InsertIntoHadoopFsRelationCommand insert) {
      return Optional.of(ofFiles(insert, HiveTableCreation.runs(insert, execution)));
    }
    if (plan instanceof CreateDataSourceTableAsSelectCommand create) {
      // It overwrites where there is no table; it appends to one, or to none, in mode append alone.
      return Optional.of(
          whole(create.mode() == SaveMode.Append ? SaveMode.Append : SaveMode.Overwrite));
    }
    if (plan instanceof InsertIntoDataSourceDirCommand insert) {
      return Optional.of(whole(insert.overwrite() ? SaveMode.Overwrite : SaveMode.ErrorIfExists));
    }
    return Optional.empty();
  }

  private static PlannedWrite whole(SaveMode mode) {
    return new PlannedWrite(mode, false, "", Optional.empty(), Optional.empty());
  }

  private static PlannedWrite ofFiles(InsertIntoHadoopFsRelationCommand insert, boolean creates) {
    List<Attribute> columns = EitherScala.list(insert, "partitionColumns");
    return new PlannedWrite(
        insert.mode(),
        creates,
        staticPrefix(insert, columns),
        Optional.of(insert),
        HiveTableWrite.of(insert, columns.size()));
  }

  /** As InsertIntoHadoopFsRelationCommand.deleteMatchingPartitions makes it. */
  private static String staticPrefix(
      InsertIntoHadoopFsRelationCommand insert, List<Attribute> partitionColumns) {
    return partitionColumns.stream()
        .map(Attribute::name)
        // No method reference: it would name a type that Scala 2.13 does not have.
        .filter(it -> insert.staticPartitions().contains(it))
        .map(it -> getPartitionPathString(it, insert.staticPartitions().apply(it)))
        .collect(joining(Path.SEPARATOR));
  }

  /**
   * The directories that it replaces whether or not files are there, if it is no dynamic overwrite.
   *
   * @param found those in which Spark has found files
   */
  Set<Path> replaced(Path destination, Set<Path> found, Configuration conf) throws IOException {
    if (creates) {
      // One that is run again must replace what the first has decided. Files that are there, which
      // Spark allows in some modes and with a setting, stay as with Spark alone.
      return isEmpty(destination, conf) ? Set.of(destination) : found;
    }
    if (mode != SaveMode.Overwrite) {
      return found;
    }
    Path target =
        staticPrefix.isEmpty()
            ? destination
            : new Path(destination.toString() + Path.SEPARATOR + staticPrefix);
    List<Path> partitions = partitions(destination);
    if (hive.isPresent() && !partitions.isEmpty()) {
      // Hive leaves what is at the default path of a partition that has another one.
      return Set.copyOf(partitions);
    }
    Set<Path> all = new LinkedHashSet<>(found);
    all.add(target);
    for (Path partition : partitions) {
      if (!ObjectKeys.isAtOrBelow(partition, target) && S3AFileSystems.holds(partition, conf)) {
        all.add(partition);
      }
    }
    return all;
  }

  private static boolean isEmpty(Path directory, Configuration conf) throws IOException {
    try {
      return directory.getFileSystem(conf).listStatus(directory).length == 0;
    } catch (FileNotFoundException e) {
      LOG.debug("Nothing is at {}", directory, e);
      return true;
    }
  }

  /** Where the partitions are that it may write to, as far as Spark asks the catalog for them. */
  List<Path> partitions(Path destination) {
    List<Path> partitions = new ArrayList<>();
    partitioned()
        .ifPresent(
            table ->
                HiveTableWrite.partitions(table, insert.get().staticPartitions())
                    .forEach(
                        it ->
                            partitions.add(
                                new Path(it.location())
                                    .makeQualified(destination.toUri(), destination))));
    return partitions;
  }

  /** Whether it inserts into a table, and not into a directory. */
  boolean isOfTable() {
    return table().isPresent();
  }

  private Optional<CatalogTable> table() {
    return insert
        .map(InsertIntoHadoopFsRelationCommand::catalogTable)
        .filter(Option::isDefined)
        .map(Option::get);
  }

  /** The table that it inserts into, if Spark asks the catalog for its partitions. */
  private Optional<CatalogTable> partitioned() {
    return table()
        .filter(
            it ->
                SparkSession.active().sessionState().conf().manageFilesourcePartitions()
                    && it.tracksPartitionsInCatalog()
                    && !EitherScala.list(it, "partitionColumnNames").isEmpty());
  }

  /**
   * Adds the partitions to the catalog that another write, which has committed the run, may not
   * have come to. Spark adds those for which tasks have written.
   *
   * @param written by the other one
   */
  void addPartitions(WrittenFiles written) {
    partitioned().ifPresent(table -> addPartitions(table, written));
  }

  private void addPartitions(CatalogTable table, WrittenFiles written) {
    Set<Path> missing = new LinkedHashSet<>(written.directories());
    partitions(insert.get().outputPath()).forEach(missing::remove);
    List<Tuple2<scala.collection.immutable.Map<String, String>, Option<String>>> added =
        new ArrayList<>();
    for (Path directory : missing) {
      HiveTableWrite.partitionAt(table, directory)
          .ifPresent(it -> added.add(new Tuple2<>(it, Option.empty())));
    }
    if (!added.isEmpty()) {
      EitherScala.call(
          EitherScala.make(
              AlterTableAddPartitionCommand.class,
              table.identifier(),
              EitherScala.seq(added),
              true),
          "run",
          SparkSession.active());
    }
  }

  /**
   * Whether it must not write where a write is decided and not complete.
   *
   * @param replaced what it replaces
   */
  boolean wantsNothingUnfinished(Set<Path> replaced) {
    return mode == SaveMode.ErrorIfExists
        || mode == SaveMode.Ignore
        || (creates && replaced.isEmpty());
  }
}
