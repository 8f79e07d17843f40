package io.zerorename.hiveserver2;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * What a user sees of a table: its rows, and what the metastore says of it and of its partitions.
 *
 * @param rows sorted
 * @param places per partition ("" for the table itself) its location relative to the table's and
 *     its statistics
 */
record TableState(List<String> rows, Map<String, Map<String, String>> places) {
  private static final Set<String> STATISTICS =
      Set.of("numFiles", "numRows", "totalSize", "rawDataSize", "COLUMN_STATS_ACCURATE");
  private static final String LOCATION = "Location:";

  static TableState of(Session session, String table, boolean partitioned) throws SQLException {
    Map<String, Map<String, String>> places = new TreeMap<>();
    Map<String, String> whole = described(session, table);
    String root = whole.remove(LOCATION);
    if (partitioned) {
      for (String name : session.rows("show partitions " + table)) {
        Map<String, String> place = described(session, table + " partition (" + spec(name) + ")");
        place.computeIfPresent(LOCATION, (key, path) -> path.substring(root.length()));
        places.put(name, place);
      }
    } else {
      places.put("", whole);
    }
    return new TableState(session.sortedRows("select * from " + table), places);
  }

  /** Of {@code p=1/q=x} in SQL. */
  private static String spec(String partition) {
    List<String> values = new ArrayList<>();
    for (String value : partition.split("/", -1)) {
      values.add(value.replaceFirst("=", "='") + "'");
    }
    return String.join(", ", values);
  }

  private static Map<String, String> described(Session session, String what) throws SQLException {
    Map<String, String> found = new TreeMap<>();
    for (String row : session.rows("describe formatted " + what)) {
      String[] columns = row.split("\t", -1);
      if (columns[0].equals(LOCATION)) {
        found.putIfAbsent(LOCATION, columns[1]);
      } else if (columns.length == 3 && STATISTICS.contains(columns[1])) {
        found.put(columns[1], columns[2]);
      }
    }
    return found;
  }
}
