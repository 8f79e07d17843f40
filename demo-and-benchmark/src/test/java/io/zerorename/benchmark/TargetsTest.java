package io.zerorename.benchmark;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.benchmark.Target.Status;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TargetsTest {
  @Test
  void medianDecidesAndNotTheSlowestRound() throws Exception {
    Target target = named(Samples.results(), "Job commit of 10,000 uploads");

    assertThat(target.measured()).isEqualTo("1.07x (zero-rename-64)");
    assertThat(target.status()).isEqualTo(Status.MET);
  }

  @Test
  void worstCaseIsTheOneThatCounts() throws Exception {
    Results results =
        new Samples().commit(10_000, 64, 5.0).commit(10_000, 256, 2.0).results(Map.of());

    assertThat(named(results, "Job commit of 10,000 uploads").measured())
        .isEqualTo("1.71x (zero-rename-256)");
    assertThat(named(results, "Job commit of 10,000 uploads").status()).isEqualTo(Status.NOT_MET);
  }

  @Test
  void ratiosOfHiveAreOfRequestsTotalAndCommit() throws Exception {
    Results results = Samples.results();

    assertThat(
            named(results, "ORC, overwrite, 100 partitions: requests, Hive default to").measured())
        .startsWith("20.0x");
    assertThat(
            named(results, "ORC, overwrite, 100 partitions: seconds, Hive default to").measured())
        .startsWith("6.00x");
    assertThat(named(results, "ORC, overwrite, 100 partitions: commit and move").measured())
        .startsWith("36.0x");
  }

  @Test
  void whatWasNotMeasuredIsNeitherMetNorMissed() throws Exception {
    assertThat(
            named(Samples.results(), "Parquet, append, 100 partitions: seconds, Hive default to"))
        .extracting(Target::status, Target::measured)
        .containsExactly(Status.NOT_MEASURED, "-");
  }

  @Test
  void uploadsAreComparedWithThoseWhoseDataWaitsWhereTheirsDoes() throws Exception {
    Results results = Samples.results();

    assertThat(named(results, "1-stream: memory, zero-rename to s3a-disk").measured())
        .isEqualTo("0.80x (1-stream, zero-rename)");
    assertThat(named(results, "1-stream: MB/s, zero-rename to s3a-bytebuffer").measured())
        .isEqualTo("1.10x (1-stream, zero-rename-bytebuffer)");
  }

  @Test
  void moreMemoryIsNotMet() throws Exception {
    Results results = Samples.results();

    assertThat(named(results, "1-stream: memory, zero-rename to s3a-disk").status())
        .isEqualTo(Status.MET);
    assertThat(named(results, "1-stream: memory, zero-rename to s3a-bytebuffer").status())
        .isEqualTo(Status.NOT_MET);
    assertThat(named(results, "1-stream: MB/s, zero-rename to s3a-disk").status())
        .isEqualTo(Status.MET);
  }

  @Test
  void aFallbackIsToldBesideTheRatio() throws Exception {
    Results results =
        new Samples()
            .hive("stock", "append-P100", 10, 1, 100, "")
            .hive("zero-rename", "append-P100", 10, 1, 100, Samples.FALLBACK)
            .results(Map.of());

    assertThat(named(results, "ORC, append, 100 partitions: seconds, Hive default to").measured())
        .isEqualTo("1.00x (orc-append-P100, Hive default, where zero-rename was not used)");
  }

  private static Target named(Results results, String part) {
    List<Target> found =
        Targets.of(results).stream().filter(target -> target.name().contains(part)).toList();
    assertThat(found).as(part).hasSize(1);
    return found.get(0);
  }
}
