package io.zerorename.hive;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.commit.DailyCare;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.fs.Path;

/**
 * What is due at the places that a statement writes to, and waits for its end.
 *
 * @param ofLog what is due at its commit directory, if it is the first one of the day there
 * @param otherBuckets a place in each of the buckets that it may write to beside its target's
 */
record DueCare(Optional<DailyCare> ofLog, List<Path> otherBuckets) {
  static final DueCare NONE = new DueCare(Optional.empty(), List.of());

  DueCare {
    requireNonNull(ofLog, "ofLog");
    otherBuckets = List.copyOf(otherBuckets);
  }
}
