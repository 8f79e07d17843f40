package io.zerorename.hive.metastore;

import java.io.IOException;
import java.util.List;
import java.util.Locale;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hive.common.FileUtils;
import org.apache.hadoop.hive.common.HiveStatsUtils;

/**
 * The directories of dynamic partitions in a staging directory. Beside them lie others: those of
 * lost task attempts, and empty ones of the branches of a UNION ALL.
 */
public final class StagedPartitions {
  private StagedPartitions() {}

  /**
   * @param columns the partition columns that the rows decide about, the first level first
   * @return the directories of the last level; none where there is no staging directory
   */
  public static List<Path> in(FileSystem scratch, Path staging, List<String> columns)
      throws IOException {
    return HiveStatsUtils.getFileStatusRecurse(staging, columns.size(), scratch).stream()
        .map(FileStatus::getPath)
        .filter(path -> isPartition(path, columns))
        .toList();
  }

  /** What the names of the directories of a partition column begin with. */
  static String prefixOf(String column) {
    return FileUtils.escapePathName(column.toLowerCase(Locale.ROOT)) + "=";
  }

  private static boolean isPartition(Path path, List<String> columns) {
    Path level = path;
    for (int i = columns.size() - 1; i >= 0; i--) {
      if (!level.getName().startsWith(prefixOf(columns.get(i)))) {
        return false;
      }
      level = level.getParent();
    }
    return true;
  }
}
