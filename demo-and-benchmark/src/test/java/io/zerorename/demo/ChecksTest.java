package io.zerorename.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.zerorename.testing.s3server.RequestCounts;
import io.zerorename.testing.s3server.RequestType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** That the checks hold where all is well is in ReportsTest. */
class ChecksTest {
  private static final String DAY = "sold_date=1998-01-03";
  private static final int STOCK = 0;
  private static final int OURS = 2;

  /** Of the way whose measurement it is. */
  private static Stream<Arguments> faults() {
    RequestCounts copies = new RequestCounts(Map.of(RequestType.UPLOAD_PART_COPY, 1L), 0, 0, 5);
    return Stream.of(
        fault("a lost row", OURS, day(Samples.facts(0, 23, 1, 1, 400, 450)), "rows 0"),
        fault("a changed row", OURS, day(Samples.facts(1, 24, 1, 1, 400, 450)), "checksum 24"),
        fault("a missing partition", OURS, it -> withoutDay(it), "has 1 partitions"),
        fault("wrong statistics", OURS, day(Samples.facts(1, 23, 1, 1, 401, 450)), "401"),
        fault("a staging object", OURS, it -> withObject(it, ".hive-staging_x/0"), "staging_x"),
        fault("a pending upload", OURS, it -> copy(it, it.requests(), "left"), "left"),
        fault("a copy", OURS, it -> copy(it, copies), "1 COPY requests, 5 bytes"),
        fault("a fallback", OURS, saying("keeps Hive's own rename path: UNION"), "UNION"),
        fault(
            "a committer in a stock run",
            STOCK,
            saying("zero-rename: committed INSERT OVERWRITE of default.sales_stock: 2 files"),
            "sales_stock"));
  }

  private static Arguments fault(
      String name, int way, UnaryOperator<Measurement> change, String shown) {
    return arguments(name, way, change, shown);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("faults")
  void whatIsWrongFailsAndIsShown(
      String name, int way, UnaryOperator<Measurement> change, String shown) {
    List<Measurement> measurements = new ArrayList<>(Samples.measurements());
    measurements.set(way, change.apply(measurements.get(way)));
    assertFails(new Checks(Samples.PARTITIONS, measurements, true, false), shown);
  }

  @Test
  void rowsThatAreWrongInEveryTableFail() {
    SortedMap<String, Map<String, Long>> truth = new TreeMap<>(Samples.PARTITIONS);
    truth.put(DAY, Map.of("rows", 5L, "checksum", 99L));
    assertFails(new Checks(truth, Samples.measurements(), true, false), "expected rows 5");
  }

  @Test
  void sparksOwnPlanIsRightForSparkAndFailsForTheCommitter() {
    String line = "zero-rename: ZR-7112: Spark itself inserts into t, with renames, because it can";
    List<Measurement> measurements = new ArrayList<>(Samples.measurementsOfSpark());
    measurements.set(STOCK, saying(line).apply(measurements.get(STOCK)));
    Checks checks = new Checks(Samples.PARTITIONS, measurements, false, false);
    assertThat(checks.run()).allMatch(Check::passed);

    measurements.set(OURS, saying(line).apply(measurements.get(OURS)));
    assertFails(new Checks(Samples.PARTITIONS, measurements, false, false), "because it can");
  }

  private static void assertFails(Checks checks, String detail) {
    assertThat(checks.run()).anyMatch(it -> !it.passed() && it.detail().contains(detail));
  }

  private static UnaryOperator<Measurement> day(Map<String, Long> facts) {
    return of -> {
      SortedMap<String, Map<String, Long>> partitions = new TreeMap<>(of.partitions());
      partitions.put(DAY, facts);
      return copy(of, of.requests(), of.committerLines(), partitions, of.objects(), List.of());
    };
  }

  private static Measurement withoutDay(Measurement of) {
    SortedMap<String, Map<String, Long>> partitions = new TreeMap<>(of.partitions());
    partitions.remove(DAY);
    return copy(of, of.requests(), of.committerLines(), partitions, of.objects(), List.of());
  }

  private static Measurement withObject(Measurement of, String name) {
    SortedMap<String, Long> objects = new TreeMap<>(of.objects());
    objects.put(of.way().table() + "/" + name, 0L);
    return copy(of, of.requests(), of.committerLines(), of.partitions(), objects, List.of());
  }

  private static UnaryOperator<Measurement> saying(String line) {
    return of -> copy(of, of.requests(), List.of(line), of.partitions(), of.objects(), List.of());
  }

  private static Measurement copy(Measurement of, RequestCounts requests, String... pending) {
    return copy(of, requests, of.committerLines(), of.partitions(), of.objects(), List.of(pending));
  }

  private static Measurement copy(
      Measurement of,
      RequestCounts requests,
      List<String> lines,
      SortedMap<String, Map<String, Long>> partitions,
      SortedMap<String, Long> objects,
      List<String> pending) {
    return new Measurement(
        of.way(),
        of.wall(),
        of.phases(),
        requests,
        of.requestsByPhase(),
        lines,
        partitions,
        objects,
        pending);
  }
}
