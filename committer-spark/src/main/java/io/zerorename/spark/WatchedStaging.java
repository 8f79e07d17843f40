package io.zerorename.spark;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.store.ObjectKeys;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.util.functional.RemoteIterators;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.execution.datasources.PartitioningUtils;
import org.apache.spark.sql.hive.execution.HiveTempPath;
import org.apache.spark.sql.hive.execution.InsertIntoHiveTable;

/**
 * The staging directory of an overwrite that keeps Spark's own plan. Spark deletes it when Hive's
 * client has moved the files to the table: so that is when the overwrite gets its place in the
 * table's commit log.
 */
final class WatchedStaging extends HiveTempPath {
  /** The values that the statement names, by column. */
  private final Map<String, String> staticPartitions;

  /** Null until the commit protocol is about to commit the staged files. */
  private BypassingStatement statement;

  private AffectedTable table;

  /** Null until they are all there. */
  private WrittenFiles written;

  WatchedStaging(
      SparkSession session, InsertIntoHiveTable insert, Map<String, String> staticPartitions) {
    super(session, insert.hiveTmpPath().hadoopConf(), new Path(insert.table().location()));
    this.staticPartitions = Map.copyOf(staticPartitions);
  }

  /** From here on the statement is ended, and closed, with the directory. */
  void begin(BypassingStatement begun, AffectedTable of) throws IOException {
    statement = begun;
    table = of;
    statement.begin();
  }

  /** All rows are there, and Spark is about to change the table. */
  void written(WrittenFiles files) {
    written = requireNonNull(files, "files");
  }

  /** Also called after a failure. */
  @Override
  public void deleteTmpPath() {
    try (BypassingStatement ending = statement) {
      if (written != null) {
        ending.end(this::replaced);
      }
    } catch (IOException e) {
      throw Rethrow.unchecked(e);
    } finally {
      super.deleteTmpPath();
    }
  }

  /**
   * Where Hive's client has removed what was there, and has moved all new files. Where one is left
   * here, the statement has failed, and must be run again: until then nothing of others goes that
   * the client itself has left.
   */
  private Set<Path> replaced() throws IOException {
    Path staging = externalTempPath();
    Set<Path> moved = new LinkedHashSet<>(written.directories());
    try {
      RemoteIterators.foreach(
          staging.getFileSystem(hadoopConf()).listFiles(staging, true),
          left -> moved.remove(left.getPath().getParent()));
    } catch (FileNotFoundException e) {
      // The directory itself was moved.
    }
    if (moved.isEmpty() || EitherScala.list(table.table(), "partitionColumnNames").isEmpty()) {
      return moved.isEmpty() ? Set.of() : Set.of(table.path());
    }
    List<scala.collection.immutable.Map<String, String>> partitions = new ArrayList<>();
    for (Path directory : moved) {
      Map<String, String> values = new LinkedHashMap<>(staticPartitions);
      if (!directory.equals(staging)) {
        String below = ObjectKeys.of(directory).substring(ObjectKeys.prefixOf(staging).length());
        values.putAll(EitherScala.map(PartitioningUtils.parsePathFragment(below)));
      }
      partitions.add(EitherScala.map(values));
    }
    return new AffectedTable(table.words(), table.change(), table.table(), partitions).within();
  }
}
