package io.zerorename.testing.sparksuites;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.testing.sparksuites.TestRun.Requests;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("thorough")
final class ComparisonTest {
  private static final TestRun BY_RENAME = passed(new Requests(9, 3, 2, 2, 0));
  private static final TestRun BY_US = passed(new Requests(5, 3, 0, 0, 2));
  private static final TestRun FAILED = new TestRun(false, "no rows", Requests.NONE);

  @Test
  void aTestThatPassesWithBothIsFine() {
    Comparison comparison = comparison(BY_RENAME, BY_US);

    assertThat(comparison.lost()).isEmpty();
    assertThat(comparison.stoodAside()).isEmpty();
  }

  @Test
  void aTestThatFailsOrDoesNotRunWithOursIsLost() {
    assertThat(comparison(BY_RENAME, FAILED).lost()).containsExactly("t");
    assertThat(comparison(BY_RENAME, FAILED).reasons()).containsExactly("t: no rows");
    assertThat(new Comparison(Map.of("t", BY_RENAME), Map.of(), Set.of()).lost())
        .containsExactly("t");
  }

  @Test
  void aTestThatFailsWithBothSaysNothing() {
    assertThat(comparison(FAILED, FAILED).lost()).isEmpty();
    assertThat(comparison(FAILED, FAILED).failedWithStock()).containsExactly("t");
  }

  @Test
  void renamesOfSparksProtocolShowThatOursStoodAside() {
    assertThat(comparison(BY_RENAME, BY_RENAME).stoodAside()).containsExactly("t");
  }

  @Test
  void writesToTheLocalDiskShowThatOursStoodAside() {
    assertThat(comparison(BY_RENAME, passed(Requests.NONE)).stoodAside()).containsExactly("t");
    assertThat(comparison(passed(new Requests(3, 1, 0, 0, 0)), passed(Requests.NONE)).stoodAside())
        .containsExactly("t");
  }

  @Test
  void writesWithoutOurLogShowThatOursStoodAside() {
    assertThat(comparison(BY_RENAME, passed(new Requests(4, 3, 0, 0, 0))).stoodAside())
        .containsExactly("t");
  }

  @Test
  void aSecondRunDecidesOfWhatIsDoubtful() {
    Comparison lost = comparison(BY_RENAME, FAILED);

    assertThat(lost.again(Map.of("t", BY_RENAME), Map.of("t", BY_US)).lost()).isEmpty();
    assertThat(lost.again(Map.of("t", FAILED), Map.of("t", FAILED)).lost()).isEmpty();
    assertThat(lost.again(Map.of("t", BY_RENAME), Map.of("t", FAILED)).lost()).containsExactly("t");
    assertThat(lost.again(Map.of("t", BY_RENAME), Map.of()).lost()).containsExactly("t");
  }

  @Test
  void anExclusionMustBeNeeded() {
    Comparison needed = excluding(BY_RENAME, FAILED);
    assertThat(needed.lost()).isEmpty();
    assertThat(needed.doubtful()).isEmpty();
    assertThat(needed.needlesslyExcluded()).isEmpty();

    assertThat(excluding(BY_RENAME, BY_US).needlesslyExcluded()).containsExactly("t");
    assertThat(excluding(FAILED, FAILED).needlesslyExcluded()).containsExactly("t");
    assertThat(new Comparison(Map.of(), Map.of(), Set.of("gone")).needlesslyExcluded())
        .containsExactly("gone");
  }

  private static Comparison comparison(TestRun stock, TestRun ours) {
    return new Comparison(Map.of("t", stock), Map.of("t", ours), Set.of());
  }

  private static Comparison excluding(TestRun stock, TestRun ours) {
    return new Comparison(Map.of("t", stock), Map.of("t", ours), Set.of("t"));
  }

  private static TestRun passed(Requests requests) {
    return new TestRun(true, "", requests);
  }
}
