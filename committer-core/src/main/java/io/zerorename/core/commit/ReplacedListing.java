package io.zerorename.core.commit;

import io.zerorename.core.job.CommitLogs;
import io.zerorename.core.parallel.Workers;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.store.ObjectSummary;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.function.BiPredicate;
import org.apache.hadoop.fs.Path;

/** Lists the directories that an overwrite replaces, and decides what in them is data. */
final class ReplacedListing {
  private ReplacedListing() {}

  /**
   * Visits each object in each of the directories, but not twice where one lies in another.
   *
   * @param roots nothing that lies outside of them is listed together
   */
  static void visit(
      ObjectStores stores,
      List<Path> roots,
      Set<Path> directories,
      GroupedListing.Visitor visitor,
      Workers workers)
      throws IOException {
    new GroupedListing(stores, roots, visitor)
        .visit(
            directories.stream().filter(it -> !isListedWithAnother(it, directories)).toList(),
            workers);
  }

  /** Whether a listing of another replaced directory shows all that lies in this one. */
  private static boolean isListedWithAnother(Path directory, Set<Path> directories) {
    Path child = directory;
    for (Path parent = directory.getParent(); parent != null; parent = parent.getParent()) {
      if (directories.contains(parent) && !Overwrite.isHidden(child.getName())) {
        return true;
      }
      child = parent;
    }
    return false;
  }

  /**
   * Whether an object in a directory is data, or the log of a destination below it.
   *
   * @param hidden what is not data, see {@link Overwrite#spares}
   */
  static boolean isData(Path directory, ObjectSummary object, BiPredicate<Path, String> hidden) {
    String below = object.key().substring(ObjectKeys.prefixOf(directory).length());
    return !("/" + below).contains("/" + CommitLogs.DEFAULT_NAME + "/")
        && !hidden.test(directory, below);
  }
}
