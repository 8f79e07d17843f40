package io.zerorename.demo;

import static java.util.stream.Collectors.joining;

import io.zerorename.testing.hive.Sales;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;

/**
 * What must hold after the measured runs; names the first difference where something does not.
 *
 * @param expected rows and checksums by partition, from the SELECT without any INSERT
 * @param measurements one per way
 * @param withStatistics whether the engine leaves statistics of partitions
 * @param merged whether Hive merges files, in any order, on which the size depends
 */
record Checks(
    SortedMap<String, Map<String, Long>> expected,
    List<Measurement> measurements,
    boolean withStatistics,
    boolean merged) {
  Checks {
    measurements = List.copyOf(measurements);
  }

  List<Check> run() {
    List<Check> checks = new ArrayList<>();
    checks.add(rowsEqual());
    if (withStatistics) {
      checks.add(statisticsEqual());
    }
    for (Measurement measurement : measurements) {
      checks.add(onlyDataFiles(measurement));
      checks.add(nothingPending(measurement));
      checks.add(path(measurement));
      if (measurement.way().isOurs()) {
        checks.add(noCopy(measurement));
      }
    }
    return List.copyOf(checks);
  }

  /** Whether each table has exactly the rows of the SELECT in each partition. */
  Check rowsEqual() {
    return compare(
        "every table holds the rows of the query, by count and checksum of each partition",
        expected,
        TableReader.ROWS);
  }

  /** Whether the metastore says the same of each table, and what it says is true. */
  Check statisticsEqual() {
    List<String> compared = TableReader.STATISTICS.subList(0, merged ? 3 : 4);
    String name =
        "the metastore has the same partitions with the same %s for every table"
            .formatted(String.join(", ", compared));
    Check same = compare(name, measurements.get(0).partitions(), compared);
    for (Measurement measurement : measurements) {
      String known =
          "%d files, %d rows, %d bytes"
              .formatted(
                  measurement.sum("numFiles"),
                  measurement.sum("numRows"),
                  measurement.sum("totalSize"));
      String there =
          "%d files, %d rows, %d bytes"
              .formatted(measurement.files().size(), measurement.rows(), measurement.bytes());
      if (same.passed() && !known.equals(there)) {
        String detail = "%s: the metastore counts %s; there are %s";
        return new Check(name, false, detail.formatted(measurement.way().title(), known, there));
      }
    }
    return same;
  }

  private Check compare(
      String name, Map<String, Map<String, Long>> reference, List<String> compared) {
    for (Measurement measurement : measurements) {
      Map<String, Map<String, Long>> found = measurement.partitions();
      String title = measurement.way().title();
      if (!found.keySet().equals(reference.keySet())) {
        String detail = "%s has %d partitions, other than the expected %d";
        return new Check(name, false, detail.formatted(title, found.size(), reference.size()));
      }
      for (String partition : found.keySet()) {
        String words = words(found.get(partition), compared);
        String expectedWords = words(reference.get(partition), compared);
        if (!words.equals(expectedWords)) {
          String detail = "%s, %s: %s; expected %s";
          return new Check(name, false, detail.formatted(title, partition, words, expectedWords));
        }
      }
    }
    String partitions =
        reference.containsKey(Sales.WHOLE_TABLE)
            ? "no partitions"
            : reference.size() + " partitions";
    return new Check(
        name,
        !reference.isEmpty(),
        "%s, %d rows in each table".formatted(partitions, measurements.get(0).rows()));
  }

  private static String words(Map<String, Long> facts, List<String> names) {
    return names.stream().map(name -> name + " " + facts.get(name)).collect(joining(", "));
  }

  /** Whether nothing lies under a table but data files and what its way may leave. */
  private static Check onlyDataFiles(Measurement measurement) {
    Way way = measurement.way();
    List<String> strangers =
        measurement.objects().keySet().stream()
            .filter(
                key -> !way.objects().matcher(key.substring(way.table().length() + 1)).matches())
            .toList();
    int others = measurement.objects().size() - measurement.files().size();
    return new Check(
        way.title() + ": nothing but data files under the table",
        strangers.isEmpty(),
        strangers.isEmpty()
            ? measurement.files().size()
                + " files"
                + (others == 0 ? "" : ", and what no reader takes for one: " + others)
            : strangers.size() + " other objects, the first is " + strangers.get(0));
  }

  private static Check nothingPending(Measurement measurement) {
    return new Check(
        measurement.way().title() + ": no pending upload is left",
        measurement.pendingUploads().isEmpty(),
        measurement.pendingUploads().isEmpty()
            ? "none"
            : measurement.pendingUploads().size()
                + " are left, the first for "
                + measurement.pendingUploads().get(0));
  }

  private static Check noCopy(Measurement measurement) {
    long copies = measurement.requests().copies();
    return new Check(
        measurement.way().title() + ": the server copied nothing",
        copies == 0 && measurement.requests().bytesCopied() == 0,
        copies + " COPY requests, " + measurement.requests().bytesCopied() + " bytes");
  }

  /** Whether the committer was in use exactly where it should be. */
  private static Check path(Measurement measurement) {
    Way way = measurement.way();
    String said = measurement.committerLines().stream().collect(joining(" "));
    return new Check(
        way.title() + ": the committer was really " + (way.isOurs() ? "in use" : "not in use"),
        way.says().matcher(said).matches(),
        said.isEmpty() ? "it said nothing" : said);
  }
}
