package io.zerorename.core.commit;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Completes that the store has taken and is at work on: there is neither the upload any more nor
 * its object yet. The request that began it is delayed in an {@link Interleaving} so long.
 */
final class CompletesInProgress {
  private static final String REQUEST = "COMPLETE_UPLOAD ";

  private final SimulatedCluster cluster;
  private final Map<String, Instant> since = new TreeMap<>();
  private int begun;

  CompletesInProgress(SimulatedCluster cluster) {
    this.cluster = cluster;
  }

  /** Whether a call asks for one that the store can begin. */
  boolean canBegin(Calls.Call call) {
    return call.what().startsWith(REQUEST)
        && cluster.store.pendingKeys().contains(call.what().substring(REQUEST.length()));
  }

  void begin(Calls.Call call) {
    begin(call.what().substring(REQUEST.length()));
  }

  void begin(String key) {
    begun++;
    since.put(key, cluster.store.now());
    cluster.store.beginCompleting(key);
  }

  /** Whether a request is one that the store is at work on. */
  boolean isOf(Calls.Call call) {
    return call.what().startsWith(REQUEST)
        && since.containsKey(call.what().substring(REQUEST.length()));
  }

  /** How many there have been. */
  int begun() {
    return begun;
  }

  /** The keys, in order. */
  List<String> keys() {
    return List.copyOf(since.keySet());
  }

  /** Ends one, if the store is at work on it. */
  void end(String key, Interleaving processes) {
    if (since.remove(key) != null) {
      cluster.store.endCompleting(key);
      processes.takeLate(call -> call.what().equals(REQUEST + key));
    }
  }

  /** Ends those that were begun before a time. */
  void endThoseBefore(Instant time, Interleaving processes) {
    for (String key : keys()) {
      if (since.get(key).isBefore(time)) {
        end(key, processes);
      }
    }
  }
}
