package io.zerorename.demo;

import io.zerorename.demo.DemoOptions.Engine;
import io.zerorename.report.ProgramOptions;
import io.zerorename.testing.hive.Phase;
import io.zerorename.testing.hive.Sales.Layout;
import io.zerorename.testing.hive.Subject;
import io.zerorename.testing.s3server.RequestCounts;
import io.zerorename.testing.s3server.RequestType;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** A comparison as it comes out when all is well, of two partitions with three rows. */
final class Samples {
  static final SortedMap<String, Map<String, Long>> PARTITIONS =
      new TreeMap<>(
          Map.of(
              "sold_date=1998-01-02", facts(2, -17, 1, 2, 600, 900),
              "sold_date=1998-01-03", facts(1, 23, 1, 1, 400, 450)));

  private Samples() {}

  static Map<String, Long> facts(
      long rows, long checksum, long numFiles, long numRows, long totalSize, long rawDataSize) {
    return Map.of(
        "rows", rows,
        "checksum", checksum,
        "numFiles", numFiles,
        "numRows", numRows,
        "totalSize", totalSize,
        "rawDataSize", rawDataSize);
  }

  static Measurement of(Subject subject) {
    boolean ours = subject == Subject.ZERO_RENAME;
    RequestCounts requests =
        switch (subject) {
          case STOCK ->
              new RequestCounts(
                  Map.of(RequestType.COPY_OBJECT, 1234L, RequestType.HEAD_OBJECT, 4321L),
                  1000,
                  0,
                  4_000);
          case STOCK_SCRATCH ->
              new RequestCounts(Map.of(RequestType.LIST_OBJECTS_V2, 777L), 1000, 0, 0);
          case ZERO_RENAME ->
              new RequestCounts(
                  Map.of(RequestType.UPLOAD_PART, 2L, RequestType.COMPLETE_MULTIPART_UPLOAD, 2L),
                  1000,
                  0,
                  0);
        };
    return new Measurement(
        HiveEngine.way(subject, Layout.FILE_PER_PARTITION),
        Duration.ofMillis(ours ? 1500 : 9250),
        Map.of(Phase.TASKS, Duration.ofMillis(1000), Phase.MOVE, Duration.ofMillis(250)),
        requests,
        Map.of(Phase.COMMIT, requests.byApiName()),
        ours
            ? List.of(
                "zero-rename: committed INSERT OVERWRITE of default.sales_zero_rename: 2 files")
            : List.of(),
        PARTITIONS,
        objects(subject),
        List.of());
  }

  static SortedMap<String, Long> objects(Subject subject) {
    return new TreeMap<>(
        Map.of(
            subject.table() + "/sold_date=1998-01-02/000000_0", 600L,
            subject.table() + "/sold_date=1998-01-03/000000_0", 400L));
  }

  static List<Measurement> measurements() {
    return List.of(of(Subject.STOCK), of(Subject.STOCK_SCRATCH), of(Subject.ZERO_RENAME));
  }

  /** The same by Spark, whose metastore has no statistics. */
  static List<Measurement> measurementsOfSpark() {
    List<Measurement> measurements = new ArrayList<>();
    for (Measurement hive : measurements()) {
      Way way = SparkEngine.ways(Layout.FILE_PER_PARTITION).get(measurements.size());
      String day = way.table() + "/sold_date=1998-01-0";
      SortedMap<String, Long> objects =
          new TreeMap<>(
              Map.of(day + "2/part-00001-5fd7.c000", 600L, day + "3/part-00002-5fd7.c000", 400L));
      objects.put(way.table() + "/", 0L);
      if (way.isOurs()) {
        objects.put(way.table() + "/_zerorename/log/7", 300L);
      }
      measurements.add(
          new Measurement(
              way,
              hive.wall(),
              hive.phases(),
              hive.requests(),
              hive.requestsByPhase(),
              way.isOurs()
                  ? List.of(
                      "zero-rename: committed the output of Spark job 1 (demo) to"
                          + " s3a://warehouse/sales_zero_rename: 2 files")
                  : List.of(),
              new TreeMap<>(
                  Map.of(
                      "sold_date=1998-01-02", Map.of("rows", 2L, "checksum", -17L),
                      "sold_date=1998-01-03", Map.of("rows", 1L, "checksum", 23L))),
              objects,
              List.of()));
    }
    return measurements;
  }

  static Report reportOfSpark() {
    return report(
        SparkEngine.FACTS,
        measurementsOfSpark(),
        new Checks(PARTITIONS, measurementsOfSpark(), false, false).run());
  }

  static Report report() {
    return report(new Checks(PARTITIONS, measurements(), true, false).run());
  }

  static Report report(List<Check> checks) {
    return report(HiveEngine.facts(Engine.TEZ), measurements(), checks);
  }

  private static Report report(
      EngineFacts engine, List<Measurement> measurements, List<Check> checks) {
    return new Report(
        Instant.parse("2026-11-21T08:00:00Z"),
        ProgramOptions.read(new DemoOptions()),
        engine,
        Map.of(
            "processors", "2",
            "heapMegabytes", "2048",
            "java", "17",
            "system", "Linux <amd64>",
            "spark", "3.5.7"),
        "INSERT OVERWRITE TABLE <table> SELECT 1",
        measurements,
        true,
        Optional.of(true),
        checks,
        Optional.empty());
  }
}
