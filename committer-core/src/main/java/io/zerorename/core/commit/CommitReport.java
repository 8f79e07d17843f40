package io.zerorename.core.commit;

import io.zerorename.core.store.RequestType;
import java.time.Duration;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.Path;

/**
 * What a job commit did.
 *
 * @param destinations of the files made visible
 * @param bytes in those files
 * @param replaced old objects deleted
 * @param aborted uploads of other attempts that were given up
 * @param stages how long each stage took, in their order
 * @param requests sent to the stores by this commit, by type
 */
public record CommitReport(
    List<Path> destinations,
    long bytes,
    int replaced,
    int aborted,
    Map<Stage, Duration> stages,
    Map<RequestType, Long> requests) {
  public CommitReport {
    destinations = List.copyOf(destinations);
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

  /** Files made visible. */
  public int files() {
    return destinations.size();
  }

  /** Directories that hold those files. */
  public int directories() {
    return (int) destinations.stream().map(Path::getParent).distinct().count();
  }

  /** Requests of all types. */
  public long requestsTotal() {
    return requests.values().stream().mapToLong(Long::longValue).sum();
  }

  /** Time of all stages. */
  public Duration duration() {
    return stages.values().stream().reduce(Duration.ZERO, Duration::plus);
  }

  /** Whether the decision stood already, made by another process or by an earlier call. */
  public boolean decidedBefore() {
    return !stages.containsKey(Stage.DECIDE);
  }
}
