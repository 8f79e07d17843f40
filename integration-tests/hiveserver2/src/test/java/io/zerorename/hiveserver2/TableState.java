package io.zerorename.hiveserver2;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.hadoop.hive.common.FileUtils;

/**
 * What a user sees of a table: its rows, and what the metastore says of it and of its partitions.
 *
 * @param rows sorted
 * @param places per partition ("" for the table itself) its location relative to the table's, its
 *     statistics, and those of each column
 */
record TableState(List<String> rows, Map<String, Map<String, String>> places) {
  private static final Set<String> STATISTICS =
      Set.of("numFiles", "numRows", "totalSize", "rawDataSize", "COLUMN_STATS_ACCURATE");
  private static final List<String> COLUMNS = List.of("a", "b");
  private static final String LOCATION = "Location:";
  private static final String PARTITION_KEYS = "# Partition Information";

  /** Of a table with the columns a and b, partitioned or not. */
  static TableState of(Session session, String table) throws SQLException {
    Map<String, Map<String, String>> places = new TreeMap<>();
    List<String> description = session.rows("describe formatted " + table);
    Map<String, String> whole = facts(description);
    String root = whole.remove(LOCATION);
    if (description.stream().anyMatch(row -> row.startsWith(PARTITION_KEYS))) {
      for (String name : session.rows("show partitions " + table)) {
        String partition = table + " partition (" + spec(name) + ")";
        Map<String, String> place = facts(session.rows("describe formatted " + partition));
        place.computeIfPresent(LOCATION, (key, path) -> path.substring(root.length()));
        place.putAll(columnStatistics(session, partition));
        places.put(name, place);
      }
    } else {
      whole.putAll(columnStatistics(session, table));
      places.put("", whole);
    }
    return new TableState(session.sortedRows("select * from " + table), places);
  }

  /** Of {@code p=1/q=x} in SQL. */
  private static String spec(String partition) {
    List<String> values = new ArrayList<>();
    for (String value : partition.split("/", -1)) {
      values.add(FileUtils.unescapePathName(value.replaceFirst("=", "='")) + "'");
    }
    return String.join(", ", values);
  }

  private static Map<String, String> facts(List<String> description) {
    Map<String, String> found = new TreeMap<>();
    for (String row : description) {
      String[] columns = row.split("\t", -1);
      if (columns[0].equals(LOCATION)) {
        found.putIfAbsent(LOCATION, columns[1]);
      } else if (columns.length == 3 && STATISTICS.contains(columns[1])) {
        found.put(columns[1], columns[2]);
      }
    }
    return found;
  }

  private static Map<String, String> columnStatistics(Session session, String what)
      throws SQLException {
    Map<String, String> found = new TreeMap<>();
    for (String column : COLUMNS) {
      found.put(
          column, String.join("\n", session.rows("describe formatted " + what + " " + column)));
    }
    return found;
  }
}
