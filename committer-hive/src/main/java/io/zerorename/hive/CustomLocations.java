package io.zerorename.hive;

import io.zerorename.core.store.ObjectKeys;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.apache.hadoop.fs.Path;

/**
 * The partitions of a table that have locations of their own, as a dynamic INSERT needs them: files
 * of such a partition belong there, and not where the table and the values say.
 *
 * @param byPlace the location by the place where the partition would be by default
 */
record CustomLocations(Map<Path, Path> byPlace) implements LocationLookup {
  /** They travel to every task. */
  private static final int MOST = 1000;

  CustomLocations {
    byPlace = Map.copyOf(byPlace);
  }

  static CustomLocations none() {
    return new CustomLocations(Map.of());
  }

  /**
   * Why a dynamic INSERT cannot write to some of them. Where one location lies in another, nobody
   * could say which of two partitions an overwrite replaces.
   *
   * @param table the table's location
   */
  Optional<String> obstacle(Path table) {
    if (byPlace.size() > MOST) {
      return Optional.of("there are " + byPlace.size());
    }
    for (Path location : byPlace.values()) {
      if (!sameBucket(location, table)) {
        return Optional.of(location + " is not in the table's bucket");
      }
    }
    List<Path> sorted = new ArrayList<>(byPlace.values());
    sorted.add(table);
    // A slash ends each, so that a directory comes right before what is below it.
    sorted.sort((a, b) -> ObjectKeys.prefixOf(a).compareTo(ObjectKeys.prefixOf(b)));
    for (int i = 1; i < sorted.size(); i++) {
      if (ObjectKeys.prefixOf(sorted.get(i)).startsWith(ObjectKeys.prefixOf(sorted.get(i - 1)))) {
        return Optional.of(sorted.get(i) + " is in " + sorted.get(i - 1));
      }
    }
    return Optional.empty();
  }

  private static boolean sameBucket(Path location, Path table) {
    return Objects.equals(location.toUri().getScheme(), table.toUri().getScheme())
        && Objects.equals(location.toUri().getAuthority(), table.toUri().getAuthority());
  }

  @Override
  public Path locationOf(Path place) {
    return byPlace.get(place);
  }
}
