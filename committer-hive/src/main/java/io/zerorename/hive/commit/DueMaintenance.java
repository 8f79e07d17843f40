package io.zerorename.hive.commit;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.job.DailyMaintenance;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.fs.Path;

/**
 * What is due at the places that a statement writes to, and waits for its end.
 *
 * @param ofLog what is due at its commit directory, if it is the first one of the day there
 * @param otherBuckets a place in each of the buckets that it may write to beside its target's
 */
public record DueMaintenance(Optional<DailyMaintenance> ofLog, List<Path> otherBuckets) {
  public static final DueMaintenance NONE = new DueMaintenance(Optional.empty(), List.of());

  public DueMaintenance {
    requireNonNull(ofLog, "ofLog");
    otherBuckets = List.copyOf(otherBuckets);
  }
}
