package io.zerorename.spark;

import static java.util.Objects.requireNonNull;
import static java.util.stream.Collectors.joining;

import io.zerorename.core.store.ObjectKeys;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.catalog.CatalogStatistics;
import org.apache.spark.sql.catalyst.catalog.CatalogTable;
import org.apache.spark.sql.catalyst.catalog.CatalogTablePartition;
import org.apache.spark.sql.catalyst.catalog.ExternalCatalog;
import org.apache.spark.sql.catalyst.catalog.ExternalCatalogUtils;
import org.apache.spark.sql.execution.datasources.InsertIntoHadoopFsRelationCommand;
import org.apache.spark.sql.execution.datasources.PartitioningUtils;
import org.apache.spark.sql.sources.DataSourceRegister;
import scala.Option;

/**
 * A write to a table in a format of Hive's. Besides its files it does what Hive's client does where
 * that moves them: it keeps the limit of partitions, the directory of what is replaced by nothing,
 * and true statistics. Spark's command registers new partitions.
 *
 * @param table as the statement found it
 * @param staticPartitions the values that the statement names, by column
 * @param partitionColumns how many the table has
 */
record HiveTableWrite(
    CatalogTable table,
    scala.collection.immutable.Map<String, String> staticPartitions,
    int partitionColumns) {
  /** The metastore counts the files of a partition that does not have it. */
  private static final String FILES = "numFiles";

  /** Says that Hive may answer a query from the statistics alone. */
  private static final String ACCURATE = "COLUMN_STATS_ACCURATE";

  /** Up to so many partitions are asked for one by one. */
  private static final int FEW = 100;

  private static final String MOST_PARTITIONS = "hive.exec.max.dynamic.partitions";

  /** Of Hive. */
  private static final int MOST_PARTITIONS_DEFAULT = 1000;

  HiveTableWrite {
    requireNonNull(table, "table");
    requireNonNull(staticPartitions, "staticPartitions");
  }

  /** Whether it writes in a format of Hive's, to a table or to a directory. */
  static boolean isOfHive(InsertIntoHadoopFsRelationCommand insert) {
    return insert.fileFormat() instanceof DataSourceRegister format
        && format.shortName().equals("hive");
  }

  /** Empty for a write of Spark's data sources, and for one to a directory. */
  static Optional<HiveTableWrite> of(InsertIntoHadoopFsRelationCommand insert) {
    return isOfHive(insert) && insert.catalogTable().isDefined()
        ? Optional.of(
            new HiveTableWrite(
                insert.catalogTable().get(),
                insert.staticPartitions(),
                EitherScala.list(insert, "partitionColumns").size()))
        : Optional.empty();
  }

  private String name() {
    return table.identifier().unquotedString();
  }

  /**
   * Before the commit.
   *
   * @throws IOException if the statement writes more partitions than Hive allows
   */
  void refuseTooManyPartitions(WrittenFiles written, Configuration conf) throws IOException {
    int most = conf.getInt(MOST_PARTITIONS, MOST_PARTITIONS_DEFAULT);
    int partitions = written.directories().size();
    if (staticPartitions.size() < partitionColumns && partitions > most) {
      throw new IOException(
          ("ZR-7110: Cannot insert into %s: the statement writes %s partitions, and %s allows"
                  + " %s. Nothing was committed. Set it to at least %s, or write fewer partitions"
                  + " at a time.")
              .formatted(name(), partitions, MOST_PARTITIONS, most, partitions));
    }
  }

  /**
   * Before the commit: from there on Hive answers no query from statistics of what gets new files
   * or loses old ones, also if this driver dies behind its decision and another job completes it.
   *
   * @param replaced the directories that the statement replaces, besides those that it wrote to
   * @return the partitions among these, as they were
   * @throws IOException if the metastore could not be changed
   */
  @SuppressWarnings("IllegalCatch")
  List<CatalogTablePartition> distrustStatistics(WrittenFiles written, Set<Path> replaced)
      throws IOException {
    try {
      List<CatalogTablePartition> changing = new ArrayList<>();
      if (partitionColumns == 0) {
        // What the statement found at its begin may be old.
        CatalogTable now = catalog().getTable(table.database(), table.identifier().table());
        if (now.ignoredProperties().contains(ACCURATE)) {
          alterStatistics(now.stats());
        }
        return changing;
      }
      for (CatalogTablePartition partition : candidates(written)) {
        Path location = new Path(partition.location());
        if (written.directories().contains(location) || replaced.contains(location)) {
          changing.add(partition);
        }
      }
      alter(
          changing.stream()
              .filter(it -> it.parameters().contains(ACCURATE))
              .map(HiveTableWrite::distrusted)
              .toList());
      return changing;
    } catch (Exception e) {
      // Scala declares no checked exception, and throws some.
      throw new IOException(
          ("ZR-7114: Cannot insert into %s: the metastore could not mark its statistics as"
                  + " unknown. This attempt has committed nothing; run the statement again when the"
                  + " metastore answers.")
              .formatted(name()),
          e);
    }
  }

  /**
   * The partitions to which files were written, and perhaps others. Spark's command has listed all;
   * that is not repeated for the sake of a few.
   */
  private List<CatalogTablePartition> candidates(WrittenFiles written) {
    List<scala.collection.immutable.Map<String, String>> named = new ArrayList<>();
    if (staticPartitions.size() < partitionColumns && written.directories().size() <= FEW) {
      for (Path directory : written.directories()) {
        partitionAt(table, directory).ifPresent(named::add);
      }
    }
    if (named.isEmpty() || named.size() < written.directories().size()) {
      // One of them lies elsewhere than it would by default, and only a list says which it is.
      return written.directories().isEmpty() && staticPartitions.size() < partitionColumns
          ? List.of()
          : partitions(table, staticPartitions);
    }
    List<CatalogTablePartition> found = new ArrayList<>();
    for (scala.collection.immutable.Map<String, String> values : named) {
      partition(table, values).ifPresent(found::add);
    }
    return found;
  }

  /** The values of the partition that has a directory by default. */
  static Optional<scala.collection.immutable.Map<String, String>> partitionAt(
      CatalogTable table, Path directory) {
    Path root = new Path(table.location());
    if (directory.equals(root) || !ObjectKeys.isAtOrBelow(directory, root)) {
      return Optional.empty();
    }
    String below = ObjectKeys.of(directory).substring(ObjectKeys.prefixOf(root).length());
    List<String> columns = EitherScala.list(table, "partitionColumnNames");
    String levels =
        columns.stream()
            .map(it -> Pattern.quote(ExternalCatalogUtils.escapePathName(it)) + "=[^/]*")
            .collect(joining("/"));
    return below.matches(levels)
        ? Optional.of(PartitioningUtils.parsePathFragment(below))
        : Optional.empty();
  }

  /** As the metastore has it now. */
  static Optional<CatalogTablePartition> partition(
      CatalogTable table, scala.collection.immutable.Map<String, String> values) {
    Option<CatalogTablePartition> found =
        catalog().getPartitionOption(table.database(), table.identifier().table(), values);
    return found.isDefined() ? Optional.of(found.get()) : Optional.empty();
  }

  /** Those of a table that have the given values. */
  static List<CatalogTablePartition> partitions(
      CatalogTable table, scala.collection.immutable.Map<String, String> values) {
    scala.collection.Seq<CatalogTablePartition> all =
        EitherScala.call(
            SparkSession.active().sessionState().catalog(),
            "listPartitions",
            table.identifier(),
            Option.apply(values));
    return EitherScala.list(all);
  }

  /**
   * After the commit.
   *
   * @param existing what {@link #distrustStatistics} returned
   * @param replaced the directories that the statement replaced, besides those that it wrote to
   * @throws IOException if the metastore could not be changed
   */
  @SuppressWarnings("IllegalCatch")
  void tellMetastore(
      List<CatalogTablePartition> existing,
      WrittenFiles written,
      Set<Path> replaced,
      Configuration conf)
      throws IOException {
    try {
      if (partitionColumns == 0) {
        keep(new Path(table.location()), written, replaced, conf);
        if (table.stats().isEmpty()) {
          // Otherwise Spark's command does so. The metastore counts the files of what is altered.
          alterStatistics(Option.empty());
        }
      }
      List<CatalogTablePartition> changed = new ArrayList<>();
      for (CatalogTablePartition partition : existing) {
        keep(new Path(partition.location()), written, replaced, conf);
        if (!inFormatOfTable(partition).equals(partition)
            || !partition.parameters().contains(FILES)) {
          // The commit may have taken minutes, in which others have changed it.
          partition(table, partition.spec())
              .ifPresent(now -> changed.add(distrusted(inFormatOfTable(now))));
        }
      }
      alter(changed);
      SparkSession.active().catalog().refreshTable(table.identifier().quotedString());
    } catch (Exception e) {
      throw new IOException(
          ("ZR-7111: The rows of an insert into %s are committed, but the metastore could not be"
                  + " updated. Do not run an INSERT INTO again, whose rows would be there twice."
                  + " Run: ANALYZE TABLE %s COMPUTE STATISTICS%s")
              .formatted(
                  name(), name(), partitionColumns > 0 ? ", and MSCK REPAIR TABLE " + name() : ""),
          e);
    }
  }

  private static ExternalCatalog catalog() {
    return SparkSession.active().sessionState().catalog().externalCatalog();
  }

  private void alterStatistics(Option<CatalogStatistics> sparks) {
    catalog().alterTableStats(table.database(), table.identifier().table(), sparks);
  }

  private void alter(List<CatalogTablePartition> partitions) {
    if (!partitions.isEmpty()) {
      EitherScala.call(
          catalog(),
          "alterPartitions",
          table.database(),
          table.identifier().table(),
          EitherScala.seq(partitions));
    }
  }

  private static CatalogTablePartition distrusted(CatalogTablePartition partition) {
    Map<String, String> parameters = EitherScala.map(partition.parameters());
    parameters.remove(ACCURATE);
    return EitherScala.with(partition, 2, EitherScala.map(parameters));
  }

  /** As Hive's client leaves it: the new files have that format. */
  private CatalogTablePartition inFormatOfTable(CatalogTablePartition partition) {
    return EitherScala.with(
        partition, 1, EitherScala.with(table.storage(), 0, partition.storage().locationUri()));
  }

  /** Spark does not read a table or a partition whose directory is missing. */
  private static void keep(
      Path directory, WrittenFiles written, Set<Path> replaced, Configuration conf)
      throws IOException {
    if (written.directories().isEmpty() && replaced.contains(directory)) {
      directory.getFileSystem(conf).mkdirs(directory);
    }
  }
}
