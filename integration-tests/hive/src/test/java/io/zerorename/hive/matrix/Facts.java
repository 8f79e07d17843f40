package io.zerorename.hive.matrix;

import io.zerorename.hive.HiveOnS3;
import io.zerorename.hive.TableState;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.hive.metastore.api.ColumnStatisticsObj;
import org.apache.hadoop.hive.metastore.api.FieldSchema;
import org.apache.hadoop.hive.ql.metadata.Hive;
import org.apache.hadoop.hive.ql.metadata.Partition;
import org.apache.hadoop.hive.ql.metadata.Table;

/**
 * All that can be seen of a database and of its directory in the bucket, without what must differ
 * between two of them.
 *
 * @param tables by name
 * @param columnStatistics by table and partition
 * @param files the names and sizes by bucket and directory, without the ids of jobs
 * @param markers objects that stand for directories
 */
record Facts(
    SortedMap<String, TableState> tables,
    SortedMap<String, List<String>> columnStatistics,
    SortedMap<String, List<String>> files,
    List<String> markers) {
  private static final Pattern OWN_NAME =
      Pattern.compile("\\.[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|_copy_[0-9]+");

  private static final Pattern OF_UNION =
      Pattern.compile("(.*/)HIVE_UNION_SUBDIR_([0-9]+)(?:_copy_[0-9]+)?/");

  static Facts of(HiveOnS3 s3, String database, String prefix) throws Exception {
    SortedMap<String, TableState> tables = new TreeMap<>();
    SortedMap<String, List<String>> columnStatistics = new TreeMap<>();
    Hive metastore = s3.hive().metastore();
    for (String name : metastore.getAllTables(database)) {
      Table table = metastore.getTable(database, name);
      if (!table.isView()) {
        tables.put(name, TableState.of(s3.hive(), database, name, place(prefix)));
        columnStatistics(metastore, table, columnStatistics);
      }
    }
    return new Facts(tables, columnStatistics, files(s3, prefix), markers(s3, prefix));
  }

  private static String place(String prefix) {
    return "s3a://" + HiveOnS3.BUCKET + "/" + prefix;
  }

  private static void columnStatistics(
      Hive metastore, Table table, SortedMap<String, List<String>> result) throws Exception {
    List<String> columns = table.getCols().stream().map(FieldSchema::getName).toList();
    if (!table.isPartitioned()) {
      result.put(
          table.getTableName(), texts(metastore.getTableColumnStatistics(table, columns, false)));
      return;
    }
    List<String> partitions =
        metastore.getPartitions(table).stream().map(Partition::getName).toList();
    Map<String, List<ColumnStatisticsObj>> statistics =
        partitions.isEmpty()
            ? Map.of()
            : metastore.getPartitionColumnStatistics(
                table.getDbName(), table.getTableName(), partitions, columns, false);
    statistics.forEach(
        (partition, ofColumns) ->
            result.put(table.getTableName() + " " + partition, texts(ofColumns)));
  }

  private static List<String> texts(List<ColumnStatisticsObj> statistics) {
    return statistics.stream().map(ColumnStatisticsObj::toString).sorted().toList();
  }

  /** The files as the committer leaves those that Hive has in a directory per branch of a union. */
  SortedMap<String, List<String>> filesWithoutDirectoriesOfUnions() {
    SortedMap<String, List<String>> flat = new TreeMap<>();
    files.forEach(
        (directory, names) -> {
          Matcher union = OF_UNION.matcher(directory);
          boolean matches = union.matches();
          flat.computeIfAbsent(matches ? union.group(1) : directory, key -> new ArrayList<>())
              .addAll(
                  matches
                      ? names.stream().map(name -> union.group(2) + "_" + name).toList()
                      : names);
        });
    flat.values().forEach(names -> names.sort(null));
    return flat;
  }

  private static SortedMap<String, List<String>> files(HiveOnS3 s3, String prefix) {
    SortedMap<String, List<String>> files = new TreeMap<>();
    s3.bucket()
        .objects(prefix)
        .forEach(
            (key, size) -> {
              if (!key.endsWith("/") && !key.contains("/_zerorename/")) {
                int name = key.lastIndexOf('/') + 1;
                files
                    .computeIfAbsent(
                        key.substring(prefix.length(), name), directory -> new ArrayList<>())
                    .add(
                        OWN_NAME.matcher(key.substring(name)).replaceAll("")
                            + ", "
                            + size
                            + " bytes");
              }
            });
    files.values().forEach(names -> names.sort(null));
    return files;
  }

  static List<String> markers(HiveOnS3 s3, String prefix) {
    return s3.bucket().objects(prefix).keySet().stream()
        .filter(key -> key.endsWith("/") && !key.contains("/_zerorename/"))
        .map(key -> key.substring(prefix.length()))
        .toList();
  }

  /** Of all tables together. */
  int rows() {
    return tables.values().stream().mapToInt(table -> table.rows().size()).sum();
  }
}
