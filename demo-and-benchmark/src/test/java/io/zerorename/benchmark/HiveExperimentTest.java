package io.zerorename.benchmark;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.assertj.core.groups.Tuple;
import org.junit.jupiter.api.Test;

class HiveExperimentTest {
  private static final List<String> SPECIAL =
      List.of(
          "orc-merged-P100",
          "text-merged-P100",
          "orc-merge-not-needed-P100",
          "orc-tasks4-P100",
          "orc-unpartitioned-F10",
          "text-128MB-P2");

  @Test
  void specialShapesAreMeasuredWithTheDelayOnly() throws Exception {
    assertThat(cases())
        .filteredOn(each -> SPECIAL.contains(each.name()))
        .extracting(Case::name, Case::latencyMillis)
        .containsExactly(SPECIAL.stream().map(name -> Tuple.tuple(name, 30)).toArray(Tuple[]::new));
    assertThat(cases("--latency-ms=0")).extracting(Case::name).containsAll(SPECIAL);
  }

  @Test
  void aQuickRunHasNoSpecialShape() throws Exception {
    assertThat(cases("--quick"))
        .extracting(Case::name)
        .contains("orc-overwrite-P100")
        .doesNotContainAnyElementsOf(SPECIAL);
  }

  @Test
  void shapesSayHowManyFilesAStatementWrites() {
    assertThat(InsertShape.ALL)
        .filteredOn(InsertShape::isSpecial)
        .extracting(InsertShape::files)
        .containsExactly(100, 100, 100, 400, 10, 2);
    assertThat(InsertShape.ALL)
        .filteredOn(shape -> !shape.isSpecial())
        .allMatch(shape -> shape.files() == shape.partitions());
  }

  private static List<Case> cases(String... arguments) throws Exception {
    BenchmarkOptions options = BenchmarkOptions.parse(arguments);
    return new HiveExperiment(options).cases();
  }
}
