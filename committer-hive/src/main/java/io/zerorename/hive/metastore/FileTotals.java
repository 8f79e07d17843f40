package io.zerorename.hive.metastore;

import io.zerorename.core.commit.GroupedListing;
import io.zerorename.core.job.CommitSettings;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.store.ObjectSummary;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hive.common.StatsSetupConst;
import org.apache.hadoop.util.functional.RemoteIterators;

/**
 * Number and size of the files of a place, for Hive's statistics. A statement may have written a
 * million files, of which HiveServer2 remembers no more than this. Hive counts all files below a
 * directory, at any depth, but for those that it hides.
 *
 * @param bytes of all of them
 */
public record FileTotals(int files, long bytes) {
  /** A directory's marker, or something with a name that Hive hides on its way. */
  private static final Pattern NOT_COUNTED = Pattern.compile("|.*/|(.*/)?[._].*", Pattern.DOTALL);

  public static final FileTotals NONE = new FileTotals(0, 0);

  public static FileTotals ofObjects(List<ObjectSummary> objects) {
    return new FileTotals(objects.size(), objects.stream().mapToLong(ObjectSummary::size).sum());
  }

  public FileTotals and(FileTotals others) {
    return new FileTotals(Math.addExact(files, others.files), bytes + others.bytes);
  }

  /** Sets what Hive's MetaStoreServerUtils.populateQuickStats sets. */
  void note(Map<String, String> parameters) {
    parameters.put(StatsSetupConst.NUM_FILES, Integer.toString(files));
    parameters.put(StatsSetupConst.TOTAL_SIZE, Long.toString(bytes));
    parameters.put(StatsSetupConst.NUM_ERASURE_CODED_FILES, "0");
  }

  /**
   * Lists directories of a table. Hive sends a LIST for each of them, this one for many of them.
   *
   * @return what is in each
   */
  public static Map<Path, FileTotals> in(
      ObjectStores stores, CommitSettings settings, Path table, Collection<Path> directories)
      throws IOException {
    Map<Path, FileTotals> found = new ConcurrentHashMap<>();
    directories.forEach(directory -> found.put(directory, FileTotals.NONE));
    GroupedListing listing =
        new GroupedListing(
            stores,
            List.of(table),
            (directory, object) -> {
              if (isCounted(directory, object.key())) {
                found.merge(directory, new FileTotals(1, object.size()), FileTotals::and);
              }
            });
    listing.visit(directories, settings.workers());
    return found;
  }

  /**
   * Lists directories that are expected to be empty, one request for each.
   *
   * @return what is in them; no directory in which nothing is
   */
  public static Map<Path, List<ObjectSummary>> objectsIn(
      ObjectStores stores, CommitSettings settings, Collection<Path> directories)
      throws IOException {
    Map<Path, List<ObjectSummary>> found = new ConcurrentHashMap<>();
    settings
        .workers()
        .forEach(
            directories,
            directory -> {
              List<ObjectSummary> files = new ArrayList<>();
              RemoteIterators.foreach(
                  stores.forPath(directory).listObjects(ObjectKeys.prefixOf(directory)),
                  object -> {
                    if (isCounted(directory, object.key())) {
                      files.add(object);
                    }
                  });
              if (!files.isEmpty()) {
                found.put(directory, files);
              }
            });
    return found;
  }

  private static boolean isCounted(Path directory, String key) {
    String name = key.substring(ObjectKeys.prefixOf(directory).length());
    return !NOT_COUNTED.matcher(name).matches();
  }
}
