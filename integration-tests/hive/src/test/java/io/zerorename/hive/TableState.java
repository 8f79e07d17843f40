package io.zerorename.hive;

import io.zerorename.testing.hive.LocalHive;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hive.ql.metadata.Hive;
import org.apache.hadoop.hive.ql.metadata.Partition;
import org.apache.hadoop.hive.ql.metadata.Table;

/**
 * What a user sees of a table: its rows, and what the metastore says of it and of its partitions.
 *
 * @param rows sorted
 * @param places per partition ("" for the table itself) its statistics, and for a partition its
 *     location, without the part that differs between tables that are compared
 */
public record TableState(List<String> rows, Map<String, Map<String, String>> places) {
  private static final List<String> STATISTICS =
      List.of("numFiles", "numRows", "totalSize", "rawDataSize", "COLUMN_STATS_ACCURATE");

  static TableState of(LocalHive hive, String name) throws Exception {
    Table table = hive.metastore().getTable(name);
    return of(hive, table.getDbName(), table.getTableName(), table.getDataLocation().toString());
  }

  /**
   * @param root the place below which all is that is compared; locations begin after it, and do not
   *     have its path in them where they are in another bucket
   */
  public static TableState of(LocalHive hive, String database, String name, String root)
      throws Exception {
    List<String> rows =
        hive.execute("select * from `" + database + "`.`" + name + "`").stream().sorted().toList();
    Hive metastore = hive.metastore();
    Table table = metastore.getTable(database, name);
    Map<String, Map<String, String>> places = new TreeMap<>();
    if (table.isPartitioned()) {
      for (Partition partition : metastore.getPartitions(table)) {
        Map<String, String> place = statistics(partition.getParameters());
        String location = partition.getLocation();
        place.put(
            "location",
            location.startsWith(root)
                ? location.substring(root.length())
                : location.replace(new Path(root).toUri().getPath(), ""));
        places.put(partition.getName(), place);
      }
    } else {
      places.put("", statistics(table.getParameters()));
    }
    return new TableState(rows, places);
  }

  private static Map<String, String> statistics(Map<String, String> parameters) {
    Map<String, String> result = new TreeMap<>();
    for (String name : STATISTICS) {
      result.put(name, String.valueOf(parameters.get(name)));
    }
    return result;
  }
}
