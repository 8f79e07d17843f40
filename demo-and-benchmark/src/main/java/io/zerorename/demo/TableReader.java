package io.zerorename.demo;

import io.zerorename.testing.hive.Sales;
import io.zerorename.testing.hive.StatementFailedException;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** Reads partitions back, rows through a query and statistics from the metastore. */
final class TableReader {
  private static final PartitionFacts ABSENT = new PartitionFacts(0, 0, -1, -1, -1, -1);

  private final SqlEngine engine;
  private final Sales sales;

  TableReader(SqlEngine engine, Sales sales) {
    this.engine = engine;
    this.sales = sales;
  }

  /** What every table must hold, by the query alone; without statistics. */
  SortedMap<String, PartitionFacts> expected() throws StatementFailedException, IOException {
    return rows(sales.expected());
  }

  /** What a table holds; a partition that only one of query and metastore knows is there too. */
  SortedMap<String, PartitionFacts> read(String table)
      throws StatementFailedException, IOException {
    SortedMap<String, PartitionFacts> facts = rows(sales.contents(table));
    for (Map.Entry<String, Map<String, String>> partition : engine.partitions(table).entrySet()) {
      PartitionFacts read = facts.getOrDefault(partition.getKey(), ABSENT);
      Map<String, String> parameters = partition.getValue();
      facts.put(
          partition.getKey(),
          new PartitionFacts(
              read.rows(),
              read.checksum(),
              number(parameters, "numFiles"),
              number(parameters, "numRows"),
              number(parameters, "totalSize"),
              number(parameters, "rawDataSize")));
    }
    return facts;
  }

  private SortedMap<String, PartitionFacts> rows(String query)
      throws StatementFailedException, IOException {
    SortedMap<String, PartitionFacts> facts = new TreeMap<>();
    List<String> lines = engine.execute(query);
    for (String line : lines) {
      String[] columns = line.split("\t", -1);
      facts.put(
          columns[0],
          new PartitionFacts(
              Long.parseLong(columns[1]), Long.parseLong(columns[2]), -1, -1, -1, -1));
    }
    return facts;
  }

  private static long number(Map<String, String> parameters, String key) {
    return Long.parseLong(parameters.getOrDefault(key, "-1"));
  }
}
