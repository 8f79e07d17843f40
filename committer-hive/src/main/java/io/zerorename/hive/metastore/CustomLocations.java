package io.zerorename.hive.metastore;

import io.zerorename.core.store.ObjectKeys;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.apache.hadoop.fs.Path;

/**
 * The partitions of a table that have locations of their own, as a dynamic INSERT needs them: files
 * of such a partition belong there, and not where the table and the values say.
 *
 * @param byPlace the location by the place where the partition would be by default
 */
public record CustomLocations(Map<Path, Path> byPlace) {
  /** They travel to every task. */
  private static final int MOST = 1000;

  public CustomLocations {
    byPlace = Map.copyOf(byPlace);
  }

  public static CustomLocations none() {
    return new CustomLocations(Map.of());
  }

  /** Those of partitions that would by default be in a directory: that of the table or below it. */
  public CustomLocations ofPartitionsIn(Path directory) {
    return new CustomLocations(
        byPlace.entrySet().stream()
            .filter(entry -> ObjectKeys.isAtOrBelow(entry.getKey(), directory))
            .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue)));
  }

  /**
   * Why a dynamic INSERT cannot write to some of them.
   *
   * @param bucket of the other partitions
   * @param isOnS3A whether a location is on S3A
   */
  public Optional<String> obstacle(String bucket, Predicate<Path> isOnS3A) {
    if (byPlace.size() > MOST) {
      return Optional.of("there are " + byPlace.size());
    }
    for (Path location : byPlace.values().stream().sorted().toList()) {
      if (!isOnS3A.test(location)) {
        return Optional.of(location + " is not on S3A");
      }
      if (!ObjectKeys.bucketOf(location).equals(bucket)) {
        return Optional.of(location + " is in another bucket than " + bucket);
      }
      if (ObjectKeys.prefixOf(location).isEmpty()) {
        return Optional.of(location + " is a whole bucket");
      }
    }
    return Optional.empty();
  }

  /**
   * Which of them lies in another, or in the table's directory, by whatever scheme either is
   * written. It would be undefined which of two partitions an overwrite replaces.
   *
   * @param table the table's location
   */
  public Optional<String> overlap(Path table) {
    List<Path> sorted = new ArrayList<>(byPlace.values());
    sorted.add(table);
    // A slash ends each, so that a directory comes right before what is below it.
    sorted.sort(Comparator.comparing(CustomLocations::place));
    for (int i = 1; i < sorted.size(); i++) {
      if (place(sorted.get(i)).startsWith(place(sorted.get(i - 1)))) {
        return Optional.of(sorted.get(i) + " is in " + sorted.get(i - 1));
      }
    }
    return Optional.empty();
  }

  /** One that lies in a directory or holds it. */
  public Optional<Path> sharing(Path directory) {
    return byPlace.values().stream()
        .filter(
            location ->
                ObjectKeys.isAtOrBelow(location, directory)
                    || ObjectKeys.isAtOrBelow(directory, location))
        .min(Comparator.naturalOrder());
  }

  private static String place(Path location) {
    return ObjectKeys.bucketOf(location) + "/" + ObjectKeys.prefixOf(location);
  }
}
