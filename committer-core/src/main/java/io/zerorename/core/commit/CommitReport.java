package io.zerorename.core.commit;

import io.zerorename.core.store.RequestType;
import java.time.Duration;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;

/**
 * What a job commit did.
 *
 * @param files made visible
 * @param bytes in those files
 * @param directories that hold those files
 * @param replaced old objects deleted
 * @param aborted uploads of other attempts that were given up
 * @param stages how long each stage took, in their order
 * @param requests sent to the stores by this commit, by type
 */
public record CommitReport(
    int files,
    long bytes,
    int directories,
    int replaced,
    int aborted,
    Map<Stage, Duration> stages,
    Map<RequestType, Long> requests) {
  public CommitReport {
    stages = ordered(stages, Stage.class);
    requests = ordered(requests, RequestType.class);
  }

  private static <K extends Enum<K>, V> Map<K, V> ordered(Map<K, V> map, Class<K> type) {
    Map<K, V> copy = new EnumMap<>(type);
    copy.putAll(map);
    return Collections.unmodifiableMap(copy);
  }

  /** The stages of a job commit, in their order. */
  public enum Stage {
    LOAD_MANIFESTS,
    PLAN,
    DECIDE,
    COMPLETE,
    REPLACE,
    PUBLISH,
    CLEAN_UP
  }

  /** Requests of all types. */
  public long requestsTotal() {
    return requests.values().stream().mapToLong(Long::longValue).sum();
  }

  /** Time of all stages. */
  public Duration duration() {
    return stages.values().stream().reduce(Duration.ZERO, Duration::plus);
  }
}
