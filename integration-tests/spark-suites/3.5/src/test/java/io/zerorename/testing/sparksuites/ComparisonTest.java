package io.zerorename.testing.sparksuites;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.testing.sparksuites.TestRun.Requests;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("thorough")
final class ComparisonTest {
  private static final TestRun BY_RENAME = passed(new Requests(9, 2, 2, 0));
  private static final TestRun BY_US = passed(new Requests(5, 0, 0, 2));
  private static final TestRun FAILED = new TestRun(false, "no rows", Requests.NONE);

  @Test
  void aTestThatPassesWithOursIsFine() {
    Comparison comparison = new Comparison(Map.of("t", BY_US), Map.of(), Set.of());

    assertThat(comparison.passed()).isOne();
    assertThat(comparison.doubtful()).isEmpty();
  }

  @Test
  void aTestThatFailsWithOursAloneIsLost() {
    assertThat(comparison(BY_RENAME, FAILED).doubtful()).containsExactly("t");
    assertThat(comparison(BY_RENAME, FAILED).lost()).containsExactly("t: no rows");
    assertThat(comparison(FAILED, FAILED).lost()).isEmpty();
    assertThat(comparison(FAILED, FAILED).failedWithBoth()).containsExactly("t");
  }

  @Test
  void renamesOfSparksProtocolShowThatOursStoodAside() {
    Comparison comparison = comparison(BY_RENAME, BY_RENAME);

    assertThat(comparison.stoodAside()).containsExactly("t");
    assertThat(comparison.doubtful()).containsExactly("t");
    assertThat(comparison.passed()).isZero();
  }

  @Test
  void aSecondRunDecides() {
    Comparison lost = comparison(BY_RENAME, FAILED);

    assertThat(lost.again(Map.of("t", BY_US)).lost()).isEmpty();
    assertThat(lost.again(Map.of("t", FAILED)).lost()).containsExactly("t: no rows");
    assertThat(lost.again(Map.of()).lost()).containsExactly("t: no rows");
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
    return new Comparison(Map.of("t", ours), Map.of("t", stock), Set.of());
  }

  private static Comparison excluding(TestRun stock, TestRun ours) {
    return new Comparison(Map.of("t", ours), Map.of("t", stock), Set.of("t"));
  }

  private static TestRun passed(Requests requests) {
    return new TestRun(true, "", requests);
  }
}
