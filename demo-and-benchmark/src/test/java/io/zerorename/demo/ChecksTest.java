package io.zerorename.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.zerorename.testing.hive.Sales;
import io.zerorename.testing.hive.Sales.Layout;
import io.zerorename.testing.hive.Subject;
import io.zerorename.testing.s3server.RequestCounts;
import io.zerorename.testing.s3server.RequestType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class ChecksTest {
  private static final String DAY = "sold_date=1998-01-03";

  @Test
  void allHoldWhenAllIsWell() {
    assertThat(new Checks(Samples.PARTITIONS, Samples.measurements(), true, false).run())
        .hasSize(12)
        .allMatch(Check::passed);
  }

  @Test
  void aLostRowFails() {
    Checks checks = withPartition(Samples.facts(0, 23, 1, 1, 400, 450));

    assertThat(checks.rowsEqual().passed()).isFalse();
    assertThat(checks.rowsEqual().detail()).contains("zero-rename", DAY, "rows 0");
    assertThat(checks.run()).anyMatch(check -> !check.passed());
  }

  @Test
  void aChangedRowFails() {
    assertThat(withPartition(Samples.facts(1, 24, 1, 1, 400, 450)).rowsEqual().passed()).isFalse();
  }

  @Test
  void aMissingPartitionFails() {
    SortedMap<String, Map<String, Long>> partitions = new TreeMap<>(Samples.PARTITIONS);
    partitions.remove(DAY);
    Checks checks = with(2, measurement -> withPartitions(measurement, partitions));

    assertThat(checks.rowsEqual().passed()).isFalse();
    assertThat(checks.statisticsEqual().passed()).isFalse();
  }

  @Test
  void noPartitionsAtAllFail() {
    List<Measurement> empty =
        Samples.measurements().stream()
            .map(it -> withObjects(withPartitions(it, new TreeMap<>()), new TreeMap<>()))
            .toList();

    assertThat(new Checks(new TreeMap<>(), empty, true, false).rowsEqual().passed()).isFalse();
  }

  @Test
  void rowsThatAreWrongInEveryTableFail() {
    SortedMap<String, Map<String, Long>> truth = new TreeMap<>(Samples.PARTITIONS);
    truth.put(DAY, Map.of("rows", 5L, "checksum", 99L));

    assertThat(new Checks(truth, Samples.measurements(), true, false).rowsEqual().passed())
        .isFalse();
  }

  /** Hive merges files in any order, on which the size depends; the number of files does not. */
  @Test
  void sizesOfMergedFilesMayDiffer() {
    List<Measurement> measurements = new ArrayList<>(Samples.measurements());
    SortedMap<String, Long> objects = new TreeMap<>(measurements.get(2).objects());
    objects.replaceAll((key, size) -> size == 400 ? 404L : size);
    SortedMap<String, Map<String, Long>> partitions = new TreeMap<>(Samples.PARTITIONS);
    partitions.put(DAY, Samples.facts(1, 23, 1, 1, 404, 450));
    measurements.set(2, withObjects(withPartitions(measurements.get(2), partitions), objects));

    assertThat(new Checks(Samples.PARTITIONS, measurements, true, true).run())
        .allMatch(Check::passed);
    assertThat(new Checks(Samples.PARTITIONS, measurements, true, false).statisticsEqual().passed())
        .isFalse();
  }

  @Test
  void differentStatisticsFail() {
    for (Map<String, Long> facts :
        List.of(
            Samples.facts(1, 23, 2, 1, 400, 450),
            Samples.facts(1, 23, 1, 7, 400, 450),
            Samples.facts(1, 23, 1, 1, 401, 450),
            Samples.facts(1, 23, 1, 1, 400, -1))) {
      assertThat(withPartition(facts).statisticsEqual().passed()).as(facts.toString()).isFalse();
    }
  }

  @Test
  void statisticsThatAreEqualAndWrongFail() {
    List<Measurement> measurements =
        Samples.measurements().stream()
            .map(
                measurement ->
                    withObjects(
                        measurement,
                        new TreeMap<>(
                            Map.of(measurement.way().table() + "/" + DAY + "/000000_0", 400L))))
            .toList();

    assertThat(new Checks(Samples.PARTITIONS, measurements, true, false).statisticsEqual().passed())
        .isFalse();
  }

  /** Of the way whose measurement it is. */
  private static Stream<Arguments> faults() {
    UnaryOperator<Measurement> staged =
        it -> {
          SortedMap<String, Long> objects = new TreeMap<>(it.objects());
          objects.put("sales_zero_rename/.hive-staging_x/-ext-10000/000000_0", 0L);
          return withObjects(it, objects);
        };
    UnaryOperator<Measurement> pending =
        it -> copy(it, it.partitions(), it.objects(), it.requests(), it.committerLines(), "left");
    RequestCounts copies = new RequestCounts(Map.of(RequestType.UPLOAD_PART_COPY, 1L), 0, 0, 5);
    return Stream.of(
        arguments("aStagingObject", 2, staged, ".hive-staging_x"),
        arguments("aPendingUpload", 2, pending, "left"),
        arguments(
            "aCopy",
            2,
            (UnaryOperator<Measurement>)
                it -> copy(it, it.partitions(), it.objects(), copies, it.committerLines()),
            "1 COPY requests, 5 bytes"),
        arguments(
            "aFallback",
            2,
            saying("zero-rename: default.t is written by Hive's own rename path: UNION"),
            "UNION"),
        arguments(
            "aCommitterInAStockRun",
            0,
            saying("zero-rename: committed INSERT OVERWRITE of default.sales_stock: 2 files"),
            "sales_stock"));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("faults")
  void whatIsWrongFailsAndIsShown(
      String name, int way, UnaryOperator<Measurement> change, String shown) {
    assertFails(with(way, change), shown);
  }

  @Test
  void sparkIsHeldToTheSameWithoutStatistics() {
    assertThat(new Checks(Samples.PARTITIONS, Samples.measurementsOfSpark(), false, false).run())
        .hasSize(11)
        .allMatch(Check::passed);
  }

  @Test
  void aTableWithoutPartitionsIsHeldToItsOwnStatistics() {
    SortedMap<String, Map<String, Long>> whole =
        new TreeMap<>(Map.of(Sales.WHOLE_TABLE, Samples.facts(3, 6, 2, 3, 1000, 1350)));
    List<Measurement> measurements =
        Samples.measurements().stream()
            .map(measurement -> withPartitions(measurement, whole))
            .toList();

    Checks checks = new Checks(whole, measurements, true, false);
    assertThat(checks.rowsEqual()).returns("no partitions, 3 rows in each table", Check::detail);
    assertThat(checks.statisticsEqual().passed()).isTrue();
    whole.put(Sales.WHOLE_TABLE, Samples.facts(4, 6, 2, 4, 1000, 1350));
    assertThat(new Checks(whole, measurements, true, false).rowsEqual().detail())
        .contains(Sales.WHOLE_TABLE, "rows 3", "expected rows 4");
  }

  @Test
  void aFileOfNoPartitionFailsWhereThereArePartitions() {
    Pattern partitioned = HiveEngine.way(Subject.ZERO_RENAME, Layout.FILE_PER_TASK).objects();
    assertThat("sold_date=1998-01-02/000000_0").matches(partitioned);
    assertThat("000000_0").doesNotMatch(partitioned);
    Pattern unpartitioned = HiveEngine.way(Subject.ZERO_RENAME, Layout.UNPARTITIONED).objects();
    assertThat("000000_0.5fd7").matches(unpartitioned);
    assertThat("sold_date=1998-01-02/000000_0").doesNotMatch(unpartitioned);
  }

  @Test
  void theCommitLogBelowATableOfSparksOwnFails() {
    List<Measurement> measurements = new ArrayList<>(Samples.measurementsOfSpark());
    Measurement stock = measurements.get(0);
    measurements.set(
        0, withObjects(stock, new TreeMap<>(Map.of("sales_default/_zerorename/log/7", 300L))));

    assertFails(new Checks(Samples.PARTITIONS, measurements, false, false), "_zerorename/log/7");
  }

  @Test
  void sparksOwnPlanIsRightForSparkAndFailsForTheCommitter() {
    String line = "zero-rename: ZR-7112: Spark itself inserts into t, with renames, because it can";
    List<Measurement> measurements = new ArrayList<>(Samples.measurementsOfSpark());
    measurements.set(0, saying(line).apply(measurements.get(0)));
    assertThat(new Checks(Samples.PARTITIONS, measurements, false, false).run())
        .allMatch(Check::passed);

    measurements.set(2, saying(line).apply(measurements.get(2)));
    assertFails(new Checks(Samples.PARTITIONS, measurements, false, false), "because it can");
  }

  private static void assertFails(Checks checks, String detail) {
    assertThat(checks.run())
        .anyMatch(check -> !check.passed() && check.detail().contains(detail))
        .filteredOn(check -> !check.passed())
        .allMatch(check -> !check.detail().isEmpty());
  }

  private static Checks withPartition(Map<String, Long> facts) {
    SortedMap<String, Map<String, Long>> partitions = new TreeMap<>(Samples.PARTITIONS);
    partitions.put(DAY, facts);
    return with(2, measurement -> withPartitions(measurement, partitions));
  }

  /** The comparison with another result of a way; the last is zero-rename. */
  private static Checks with(int way, UnaryOperator<Measurement> change) {
    List<Measurement> measurements = new ArrayList<>(Samples.measurements());
    measurements.set(way, change.apply(measurements.get(way)));
    return new Checks(Samples.PARTITIONS, measurements, true, false);
  }

  private static Measurement withPartitions(
      Measurement of, SortedMap<String, Map<String, Long>> partitions) {
    return copy(of, partitions, of.objects(), of.requests(), of.committerLines());
  }

  private static Measurement withObjects(Measurement of, SortedMap<String, Long> objects) {
    return copy(of, of.partitions(), objects, of.requests(), of.committerLines());
  }

  private static UnaryOperator<Measurement> saying(String line) {
    return of -> copy(of, of.partitions(), of.objects(), of.requests(), List.of(line));
  }

  private static Measurement copy(
      Measurement of,
      SortedMap<String, Map<String, Long>> partitions,
      SortedMap<String, Long> objects,
      RequestCounts requests,
      List<String> committerLines,
      String... pendingUploads) {
    return new Measurement(
        of.way(),
        of.wall(),
        of.phases(),
        requests,
        of.requestsByPhase(),
        committerLines,
        partitions,
        objects,
        List.of(pendingUploads));
  }
}
