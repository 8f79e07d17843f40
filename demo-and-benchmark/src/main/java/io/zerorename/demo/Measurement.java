package io.zerorename.demo;

import io.zerorename.report.SlowServer;
import io.zerorename.testing.hive.Phase;
import io.zerorename.testing.s3server.RequestCounts;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * One way's measured INSERT OVERWRITE and what it left.
 *
 * @param wall from the statement's start to its end
 * @param requests between those two
 * @param requestsByPhase the same requests, by type, in the phase in which they arrived
 * @param committerLines what the committer said, one line each
 * @param partitions what {@link TableReader} has read of each, by name
 * @param objects sizes in bytes by key, all that lies under the table
 * @param pendingUploads keys of uploads that were neither completed nor aborted
 */
record Measurement(
    Way way,
    Duration wall,
    Map<Phase, Duration> phases,
    RequestCounts requests,
    Map<Phase, Map<String, Long>> requestsByPhase,
    List<String> committerLines,
    SortedMap<String, Map<String, Long>> partitions,
    SortedMap<String, Long> objects,
    List<String> pendingUploads) {

  Measurement {
    phases = Map.copyOf(phases);
    committerLines = List.copyOf(committerLines);
    partitions = new TreeMap<>(partitions);
    objects = new TreeMap<>(objects);
    pendingUploads = List.copyOf(pendingUploads);
  }

  double seconds() {
    return wall.toMillis() / 1000.0;
  }

  double seconds(Phase phase) {
    return phases.getOrDefault(phase, Duration.ZERO).toMillis() / 1000.0;
  }

  /** The keys that readers take for data. */
  List<String> files() {
    return objects.keySet().stream().filter(SlowServer::isData).toList();
  }

  long bytes() {
    return objects.entrySet().stream()
        .filter(object -> SlowServer.isData(object.getKey()))
        .mapToLong(Map.Entry::getValue)
        .sum();
  }

  long rows() {
    return sum("rows");
  }

  /** Over all partitions that have the number. */
  long sum(String fact) {
    return partitions.values().stream().mapToLong(facts -> facts.getOrDefault(fact, 0L)).sum();
  }

  double requestsPerFile() {
    return files().isEmpty() ? 0 : (double) requests.total() / files().size();
  }

  /** As it stands in report.json, with the phases that the engine has. */
  Map<String, Object> json(Set<Phase> shown) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("title", way.title());
    json.put("seconds", seconds());
    Map<String, Double> seconds = new LinkedHashMap<>();
    Map<String, Object> requestsByPhase = new LinkedHashMap<>();
    for (Phase phase : shown) {
      seconds.put(phase.key(), seconds(phase));
      requestsByPhase.put(phase.key(), this.requestsByPhase.getOrDefault(phase, Map.of()));
    }
    json.put("phases", seconds);
    json.put("partitions", partitions.size());
    json.put("files", files().size());
    json.put("rows", rows());
    json.put("bytes", bytes());
    json.put("requests", requests.byApiName());
    json.put("requestsByPhase", requestsByPhase);
    json.put("requestsTotal", requests.total());
    json.put("requestsPerFile", requestsPerFile());
    json.put("copyRequests", requests.copies());
    json.put("bytesCopied", requests.bytesCopied());
    json.put("bytesUploaded", requests.bytesUploaded());
    json.put("bytesDownloaded", requests.bytesDownloaded());
    json.put("committer", committerLines);
    return json;
  }
}
