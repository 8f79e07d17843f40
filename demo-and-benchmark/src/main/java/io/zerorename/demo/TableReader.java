package io.zerorename.demo;

import io.zerorename.testing.hive.Sales;
import io.zerorename.testing.hive.StatementFailedException;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Reads partitions back, rows through a query and statistics from the metastore: numbers by their
 * names, by partition.
 */
record TableReader(SqlEngine engine, Sales sales) {
  /** Of a query; the checksum is the sum of the hashes of all rows. */
  static final List<String> ROWS = List.of("rows", "checksum");

  /** Of the metastore, by the names of its parameters. */
  static final List<String> STATISTICS = List.of("numFiles", "numRows", "rawDataSize", "totalSize");

  /** What every table must hold, by the query alone; without statistics. */
  SortedMap<String, Map<String, Long>> expected() throws StatementFailedException, IOException {
    return rows(sales.expected());
  }

  /** What a table holds; a partition that only one of query and metastore knows is there too. */
  SortedMap<String, Map<String, Long>> read(String table)
      throws StatementFailedException, IOException {
    SortedMap<String, Map<String, Long>> partitions = rows(sales.contents(table));
    for (Map.Entry<String, Map<String, String>> known : engine.partitions(table).entrySet()) {
      Map<String, Long> facts =
          partitions.computeIfAbsent(known.getKey(), name -> new LinkedHashMap<>());
      for (String name : STATISTICS) {
        if (known.getValue().containsKey(name)) {
          facts.put(name, Long.valueOf(known.getValue().get(name)));
        }
      }
    }
    return partitions;
  }

  private SortedMap<String, Map<String, Long>> rows(String query)
      throws StatementFailedException, IOException {
    SortedMap<String, Map<String, Long>> partitions = new TreeMap<>();
    for (String line : engine.execute(query)) {
      String[] columns = line.split("\t", -1);
      Map<String, Long> facts = new LinkedHashMap<>();
      facts.put("rows", Long.valueOf(columns[1]));
      facts.put("checksum", Long.valueOf(columns[2]));
      partitions.put(columns[0], facts);
    }
    return partitions;
  }
}
