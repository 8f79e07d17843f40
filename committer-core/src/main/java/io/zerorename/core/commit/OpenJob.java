package io.zerorename.core.commit;

import io.zerorename.core.records.RecordStore;
import java.time.Instant;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A job of which proposals are left.
 *
 * @param since when the last of them was written, by the store's clock
 * @param names of the documents and announcements
 * @param putsUntil the latest time of those until which, as somebody has announced, files of it may
 *     appear
 */
record OpenJob(String id, Instant since, List<String> names, Optional<Instant> putsUntil) {
  OpenJob {
    names = List.copyOf(names);
  }

  /** The jobs that have left something in {@code open}, in the order in which they began to. */
  static List<OpenJob> among(Iterable<RecordStore.Entry> entries) {
    Map<String, OpenJob> jobs = new LinkedHashMap<>();
    for (RecordStore.Entry entry : entries) {
      LogNames.jobOfOpen(entry.name())
          .ifPresent(
              id ->
                  jobs.merge(
                      id,
                      new OpenJob(
                          id,
                          entry.written(),
                          LogNames.withEarlierParts(id, entry.name()),
                          LogNames.putsUntil(entry.name())),
                      OpenJob::and));
    }
    return jobs.values().stream().sorted(Comparator.comparing(OpenJob::since)).toList();
  }

  private OpenJob and(OpenJob other) {
    return new OpenJob(
        id,
        since.isAfter(other.since) ? since : other.since,
        Stream.concat(names.stream(), other.names.stream()).toList(),
        Stream.of(putsUntil, other.putsUntil)
            .flatMap(Optional::stream)
            .max(Comparator.naturalOrder()));
  }

  /** The names of plans. */
  List<String> documents() {
    return names.stream().filter(name -> LogNames.putsUntil(name).isEmpty()).toList();
  }

  /** Whether the plan of each announcement is among the documents, and there is one at all. */
  boolean tellsOfAll() {
    List<String> documents = documents();
    return !documents.isEmpty()
        && names.stream()
            .filter(name -> LogNames.putsUntil(name).isPresent())
            .allMatch(name -> documents.stream().anyMatch(it -> LogNames.isOfOne(it, name)));
  }
}
