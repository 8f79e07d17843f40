package io.zerorename.core.commit;

import io.zerorename.core.job.CommitLogs;
import io.zerorename.core.log.OldObject;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectSummary;
import java.util.List;
import java.util.Set;
import java.util.function.BiPredicate;
import org.apache.hadoop.fs.Path;

/** Which directories' old files a job replaces. */
@FunctionalInterface
public interface Overwrite {
  /**
   * The replaced directories of a job, fully qualified.
   *
   * @param written the directories in which the job writes files
   */
  Set<Path> directories(Set<Path> written);

  /**
   * Whether an object in a replaced directory stays. As in Hive, what begins with an underscore or
   * a dot directly below the directory is not data.
   *
   * @param directory one of {@link #directories}
   * @param below the object's key, relative to the directory
   */
  default boolean spares(Path directory, String below) {
    return isHidden(below);
  }

  /** Whether readers of Hive and MapReduce skip what has this name. */
  static boolean isHidden(String name) {
    return name.startsWith("_") || name.startsWith(".");
  }

  /**
   * Whether an object in a directory is data, and neither hidden nor of the log of a destination
   * below it.
   *
   * @param hidden what is not data, see {@link #spares}
   */
  static boolean isData(Path directory, ObjectSummary object, BiPredicate<Path, String> hidden) {
    String below = object.key().substring(ObjectKeys.prefixOf(directory).length());
    return !("/" + below).contains("/" + CommitLogs.DEFAULT_NAME + "/")
        && !hidden.test(directory, below);
  }

  /**
   * Objects that the job replaces besides. They make no overwrite of it: it follows no entry, and
   * none is followed because of them.
   */
  default List<OldObject> objects() {
    return List.of();
  }

  /** The job replaces these objects and no directory. */
  static Overwrite objects(List<OldObject> objects) {
    List<OldObject> all = List.copyOf(objects);
    return new Overwrite() {
      @Override
      public Set<Path> directories(Set<Path> written) {
        return Set.of();
      }

      @Override
      public List<OldObject> objects() {
        return all;
      }
    };
  }

  /** The job adds files and replaces none. */
  static Overwrite none() {
    return written -> Set.of();
  }

  /** Exactly this directory, even where the job writes no file. */
  static Overwrite directory(Path directory) {
    return written -> Set.of(directory);
  }

  /** The directories in which the job writes files, and no others. */
  static Overwrite directoriesOfFiles() {
    return written -> written;
  }
}
