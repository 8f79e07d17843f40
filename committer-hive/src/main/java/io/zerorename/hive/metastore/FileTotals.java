package io.zerorename.hive.metastore;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hive.metastore.utils.MetaStoreServerUtils;

/**
 * What Hive's statistics say of the files of a place. A statement may have written a million files,
 * of which HiveServer2 remembers no more than this.
 *
 * @param bytes of all of them
 */
public record FileTotals(int files, long bytes) {
  static final FileTotals NONE = new FileTotals(0, 0);
  private static final Path NAMELESS = new Path("/");

  static FileTotals of(List<FileStatus> files) {
    return new FileTotals(files.size(), files.stream().mapToLong(FileStatus::getLen).sum());
  }

  FileTotals and(FileTotals others) {
    return new FileTotals(Math.addExact(files, others.files), bytes + others.bytes);
  }

  /** Notes them by Hive's own code, which wants the files, and reads nothing but their lengths. */
  void note(Map<String, String> parameters) {
    MetaStoreServerUtils.populateQuickStats(
        Stream.concat(
                Collections.nCopies(Math.max(0, files - 1), file(0)).stream(),
                Stream.of(file(bytes)).limit(files))
            .toList(),
        parameters);
  }

  private static FileStatus file(long length) {
    return new FileStatus(length, false, 1, 0, 0, NAMELESS);
  }
}
