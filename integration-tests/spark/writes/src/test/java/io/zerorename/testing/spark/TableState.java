package io.zerorename.testing.spark;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.catalog.CatalogTable;
import org.apache.spark.sql.catalyst.catalog.CatalogTablePartition;
import org.apache.spark.sql.catalyst.catalog.ExternalCatalog;
import scala.Option;
import scala.collection.Iterator;

/** What a table of Hive's holds, and what the metastore says of it. */
final class TableState {
  private final SparkSession spark;
  private final String name;
  private final CatalogTable table;
  private final List<CatalogTablePartition> partitions = new ArrayList<>();

  TableState(SparkSession spark, String name) {
    this.spark = spark;
    this.name = name;
    ExternalCatalog catalog = spark.sessionState().catalog().externalCatalog();
    this.table = catalog.getTable("default", name);
    if (table.partitionColumnNames().nonEmpty()) {
      for (Iterator<CatalogTablePartition> all =
              catalog.listPartitions("default", name, Option.empty()).iterator();
          all.hasNext(); ) {
        partitions.add(all.next());
      }
    }
  }

  /** Rows, partitions, their places and numbers, without the table's name. */
  SortedMap<String, Object> comparable() {
    SortedMap<String, Object> state = new TreeMap<>();
    state.put(
        "rows",
        spark.sql("SELECT * FROM " + name).collectAsList().stream()
            .map(Row::toString)
            .sorted()
            .toList());
    state.put("table", counts(table.ignoredProperties()));
    for (CatalogTablePartition partition : partitions) {
      state.put(
          partition.spec().toString(),
          // Spark has Hive name a directory in lower case, and we name it as the catalog does.
          partition.location().toString().replace(name, "T").replace("/Pa=", "/pa=")
              + counts(partition.parameters()));
    }
    return state;
  }

  /**
   * Whether Hive may answer a query from statistics. After an insert Spark alone leaves some so.
   */
  boolean isTrusted() {
    return isTrusted(table.ignoredProperties())
        || partitions.stream().anyMatch(it -> isTrusted(it.parameters()));
  }

  private static boolean isTrusted(scala.collection.immutable.Map<String, String> parameters) {
    return parameters.contains("COLUMN_STATS_ACCURATE");
  }

  private static SortedMap<String, String> counts(
      scala.collection.immutable.Map<String, String> parameters) {
    SortedMap<String, String> counts = new TreeMap<>();
    for (String counted : List.of("numFiles", "totalSize")) {
      counts.put(counted, parameters.getOrElse(counted, () -> "none"));
    }
    return counts;
  }
}
