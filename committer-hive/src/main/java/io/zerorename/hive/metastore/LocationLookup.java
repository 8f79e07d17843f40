package io.zerorename.hive.metastore;

import org.apache.hadoop.fs.Path;

/** Knows the partitions of a table that have locations of their own. */
@FunctionalInterface
public interface LocationLookup {
  /**
   * The location of the partition that would be at a place by default; null where it is there, or
   * where that is no partition's place.
   */
  Path locationOf(Path place);

  /** Where files belong that would by default be in a directory of the table. */
  default Path resolve(Path directory) {
    for (Path place = directory; place != null; place = place.getParent()) {
      Path location = locationOf(place);
      if (location != null) {
        return place.equals(directory)
            ? location
            : new Path(
                location + Path.SEPARATOR + place.toUri().relativize(directory.toUri()).getPath());
      }
    }
    return directory;
  }
}
