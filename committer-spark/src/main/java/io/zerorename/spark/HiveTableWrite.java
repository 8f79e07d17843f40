package io.zerorename.spark;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.catalog.CatalogStorageFormat;
import org.apache.spark.sql.catalyst.catalog.CatalogTable;
import org.apache.spark.sql.catalyst.catalog.CatalogTablePartition;
import org.apache.spark.sql.catalyst.catalog.ExternalCatalog;
import org.apache.spark.sql.execution.datasources.InsertIntoHadoopFsRelationCommand;
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

  private static final String MOST_PARTITIONS = "hive.exec.max.dynamic.partitions";

  /** Of Hive. */
  private static final int MOST_PARTITIONS_DEFAULT = 1000;

  HiveTableWrite {
    requireNonNull(table, "table");
    requireNonNull(staticPartitions, "staticPartitions");
  }

  /** Empty for a write of Spark's data sources. */
  static Optional<HiveTableWrite> of(
      InsertIntoHadoopFsRelationCommand insert, int partitionColumns) {
    boolean hive =
        insert.fileFormat() instanceof DataSourceRegister format
            && format.shortName().equals("hive")
            && insert.catalogTable().isDefined();
    return hive
        ? Optional.of(
            new HiveTableWrite(
                insert.catalogTable().get(), insert.staticPartitions(), partitionColumns))
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
          "ZR-7110: Cannot insert into "
              + name()
              + ": the statement writes "
              + partitions
              + " partitions, and "
              + MOST_PARTITIONS
              + " allows "
              + most
              + ". Nothing was committed. Set it to at least "
              + partitions
              + ", or write fewer partitions at a time.");
    }
  }

  /**
   * After the commit.
   *
   * @param replaced the directories that the statement replaced, besides those that it wrote to
   * @throws IOException if the metastore could not be told
   */
  @SuppressWarnings("IllegalCatch")
  void tellMetastore(WrittenFiles written, Set<Path> replaced, Configuration conf)
      throws IOException {
    SparkSession session = SparkSession.active();
    ExternalCatalog catalog = session.sessionState().catalog().externalCatalog();
    try {
      if (partitionColumns > 0) {
        tellOfPartitions(session, written, replaced, conf);
      } else {
        keep(new Path(table.location()), written, replaced, conf);
        if (table.stats().isEmpty()) {
          // Otherwise Spark's command does so. The metastore counts the files of what is altered.
          catalog.alterTableStats(table.database(), table.identifier().table(), Option.empty());
        }
      }
      session.catalog().refreshTable(table.identifier().quotedString());
    } catch (Exception e) {
      // Scala declares no checked exception, and throws some.
      throw new IOException(
          "ZR-7111: The rows of an insert into "
              + name()
              + " are committed, but the metastore could not be told. Do not run an INSERT INTO again,"
              + " whose rows would be there twice. Run: ANALYZE TABLE "
              + name()
              + " COMPUTE STATISTICS"
              + (partitionColumns > 0 ? ", and MSCK REPAIR TABLE " + name() : ""),
          e);
    }
  }

  private void tellOfPartitions(
      SparkSession session, WrittenFiles written, Set<Path> replaced, Configuration conf)
      throws IOException {
    scala.collection.Seq<CatalogTablePartition> all =
        EitherScala.call(
            session.sessionState().catalog(),
            "listPartitions",
            table.identifier(),
            Option.apply(staticPartitions));
    List<CatalogTablePartition> changed = new ArrayList<>();
    for (CatalogTablePartition partition : EitherScala.list(all)) {
      Path location = new Path(partition.location());
      keep(location, written, replaced, conf);
      if (written.directories().contains(location) || replaced.contains(location)) {
        CatalogTablePartition now = asWritten(partition);
        if (!now.equals(partition) || !partition.parameters().contains(FILES)) {
          changed.add(now);
        }
      }
    }
    if (!changed.isEmpty()) {
      EitherScala.call(
          session.sessionState().catalog().externalCatalog(),
          "alterPartitions",
          table.database(),
          table.identifier().table(),
          EitherScala.seq(changed));
    }
  }

  /**
   * As Hive's client leaves it: in the table's format, which the new files have, and without a word
   * that its statistics are right.
   */
  private CatalogTablePartition asWritten(CatalogTablePartition partition) {
    Map<String, String> parameters = EitherScala.map(partition.parameters());
    parameters.remove(ACCURATE);
    CatalogStorageFormat storage =
        EitherScala.with(table.storage(), 0, partition.storage().locationUri());
    return EitherScala.with(
        EitherScala.with(partition, 1, storage), 2, EitherScala.map(parameters));
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
