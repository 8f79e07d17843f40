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
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.catalog.CatalogTable;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.execution.command.AlterTableAddPartitionCommand;
import org.apache.spark.sql.execution.datasources.InsertIntoHadoopFsRelationCommand;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.Option;
import scala.Tuple2;

/**
 * What an insert that is being executed does about files that are there. Spark informs a commit
 * protocol only if some are, and thereby not of a write that is decided and not visible yet: one
 * that is run again after its commit was interrupted must replace that one.
 *
 * @param insert the command; also of a statement that makes a table or a directory
 * @param creates whether it fills the table that a CREATE TABLE AS SELECT of Hive has made; its
 *     mode is append
 */
record PlannedWrite(InsertIntoHadoopFsRelationCommand insert, boolean creates) {
  private static final Logger LOG = LoggerFactory.getLogger(PlannedWrite.class);

  PlannedWrite {
    requireNonNull(insert, "insert");
  }

  /**
   * Of the statement in whose thread this is called; empty where that is not known.
   *
   * @param path where it writes, as Spark names it
   */
  static Optional<PlannedWrite> current(Path path) {
    List<InsertIntoHadoopFsRelationCommand> inserts = RunningStatement.inserts(path);
    return inserts.size() == 1
        ? Optional.of(
            new PlannedWrite(inserts.get(0), RunningStatement.fillsNewTableOfHive(inserts.get(0))))
        : Optional.empty();
  }

  /** Of a table in a format of Hive's. */
  Optional<HiveTableWrite> hive() {
    return HiveTableWrite.of(insert);
  }

  /**
   * Of the partitions that it writes, as a relative path; empty for all. As
   * InsertIntoHadoopFsRelationCommand.deleteMatchingPartitions makes it.
   */
  String staticPrefix() {
    return EitherScala.<Attribute>list(insert, "partitionColumns").stream()
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
    if (insert.mode() != SaveMode.Overwrite) {
      return found;
    }
    String staticPrefix = staticPrefix();
    Path target =
        staticPrefix.isEmpty()
            ? destination
            : new Path(destination.toString() + Path.SEPARATOR + staticPrefix);
    List<Path> partitions = partitions(destination);
    if (hive().isPresent() && !partitions.isEmpty()) {
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
                HiveTableWrite.partitions(table, insert.staticPartitions())
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
    return insert.catalogTable().isDefined()
        ? Optional.of(insert.catalogTable().get())
        : Optional.empty();
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
    partitions(insert.outputPath()).forEach(missing::remove);
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
    return insert.mode() == SaveMode.ErrorIfExists
        || insert.mode() == SaveMode.Ignore
        || (creates && replaced.isEmpty());
  }
}
