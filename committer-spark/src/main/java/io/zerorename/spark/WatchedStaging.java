package io.zerorename.spark;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.store.ObjectKeys;
import io.zerorename.spark.AffectedTable.Change;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.catalog.CatalogTablePartition;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.hive.execution.HiveTempPath;
import org.apache.spark.sql.hive.execution.InsertIntoHiveTable;

/**
 * The staging directory of an insert that keeps Spark's own plan. Spark makes it before it changes
 * anything, and deletes it when Hive's client has moved the files to the table: so it is where the
 * table's commit log is looked at, before and after.
 */
final class WatchedStaging extends HiveTempPath {
  private final HiveTempPath sparks;
  private final AffectedTable table;
  private final Configuration conf;
  private BypassingStatement statement;

  /** Null until all rows are in the staging directory. */
  private WrittenFiles written;

  private WatchedStaging(SparkSession session, InsertIntoHiveTable insert, AffectedTable table) {
    super(session, insert.hiveTmpPath().hadoopConf(), table.path());
    this.sparks = requireNonNull(insert.hiveTmpPath(), "hiveTmpPath");
    this.table = requireNonNull(table, "table");
    this.conf = session.sessionState().newHadoopConf();
  }

  /**
   * The same insert, with such a directory.
   *
   * @param staticPartitions the values that the statement names, by column
   */
  static LogicalPlan of(
      InsertIntoHiveTable insert,
      scala.collection.immutable.Map<String, String> staticPartitions,
      SparkSession session) {
    boolean partition =
        !insert.partition().isEmpty() && staticPartitions.size() == insert.partition().size();
    // With IF NOT EXISTS it replaces nothing, also if another writer creates the partition now.
    boolean replaces = insert.overwrite() && !insert.ifPartitionNotExists();
    AffectedTable table =
        new AffectedTable(
            insert.overwrite() ? "INSERT OVERWRITE of " : "INSERT INTO ",
            replaces ? Change.REMOVE : Change.KEEP,
            insert.table(),
            partition ? List.of(staticPartitions) : List.of());
    InsertIntoHiveTable watched =
        EitherScala.with(
            insert, insert.productArity() - 1, new WatchedStaging(session, insert, table));
    watched.copyTagsFrom(insert);
    return watched;
  }

  /** The one of an insert that writes to it, among what a plan executes. */
  static Optional<WatchedStaging> in(LogicalPlan plan, Path directory) {
    return plan instanceof InsertIntoHiveTable insert
            && insert.hiveTmpPath() instanceof WatchedStaging staging
            && staging.externalTempPath().equals(directory)
        ? Optional.of(staging)
        : Optional.empty();
  }

  /** All rows are there, and Spark is about to change the table. */
  void written(WrittenFiles files) {
    written = requireNonNull(files, "files");
  }

  @Override
  public Path externalTempPath() {
    return sparks.externalTempPath();
  }

  @Override
  public void createTmpPath() {
    sparks.createTmpPath();
    try {
      begin();
    } catch (IOException e) {
      throw Rethrow.unchecked(e);
    }
  }

  private void begin() throws IOException {
    BypassingStatement begun = new BypassingStatement(table, conf);
    try {
      begun.begin();
      statement = begun;
    } finally {
      if (statement == null) {
        sparks.deleteTmpPath();
        begun.close();
      }
    }
  }

  /**
   * Also called after a failure, which must remove nothing of others: the statement has succeeded
   * where Hive's client has moved all files away.
   */
  @Override
  public void deleteTmpPath() {
    try (BypassingStatement ending = statement) {
      boolean moved;
      try {
        moved = written != null && table.change() == Change.REMOVE && isEmpty();
      } finally {
        sparks.deleteTmpPath();
      }
      if (!moved) {
        return;
      }
      if (insertsDynamically()) {
        ending.end(replaced(ending.scope()));
      } else {
        ending.end();
      }
    } catch (IOException e) {
      throw Rethrow.unchecked(e);
    }
  }

  /** Whether no file of rows is left in the directory, or in those below it. One LIST on S3. */
  private boolean isEmpty() throws IOException {
    try {
      RemoteIterator<LocatedFileStatus> files =
          externalTempPath().getFileSystem(conf).listFiles(externalTempPath(), true);
      while (files.hasNext()) {
        String name = files.next().getPath().getName();
        if (!name.startsWith("_") && !name.startsWith(".")) {
          return false;
        }
      }
    } catch (FileNotFoundException e) {
      // The directory itself was moved.
    }
    return true;
  }

  private boolean insertsDynamically() {
    return table.partitions().isEmpty() && table.table().partitionColumnNames().nonEmpty();
  }

  /** The partitions that have new files, and perhaps lie elsewhere than they would by default. */
  private Set<Path> replaced(Set<Path> scope) {
    Set<Path> replaced = new LinkedHashSet<>();
    Set<List<String>> partitions = new LinkedHashSet<>();
    for (Path directory : written.directories()) {
      String below =
          ObjectKeys.of(directory).substring(ObjectKeys.prefixOf(externalTempPath()).length());
      replaced.add(new Path(table.path(), below));
      partitions.add(WrittenFiles.partitionValues(below));
    }
    if (scope.stream().anyMatch(it -> !ObjectKeys.isAtOrBelow(it, table.path()))) {
      for (CatalogTablePartition it :
          HiveTableWrite.partitions(table.table(), EitherScala.map(Map.of()))) {
        List<String> values = new ArrayList<>();
        EitherScala.<String>list(table.table(), "partitionColumnNames")
            .forEach(column -> values.add(it.spec().apply(column)));
        if (partitions.contains(values)) {
          replaced.add(new Path(it.location()));
        }
      }
    }
    return replaced;
  }
}
