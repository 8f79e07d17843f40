package io.zerorename.benchmark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class SpreadTest {
  @Test
  void medianOfAnOddNumberIsTheOneInTheMiddle() {
    assertThat(Spread.of(List.of(9.0, 1.0, 2.0))).isEqualTo(new Spread(2, 1, 9, 3));
  }

  @Test
  void medianOfAnEvenNumberIsBetweenTheTwoInTheMiddle() {
    assertThat(Spread.of(List.of(4.0, 1.0, 9.0, 2.0))).isEqualTo(new Spread(3, 1, 9, 4));
  }

  @Test
  void oneValueHasNoSpread() {
    assertThat(Spread.of(List.of(1.25)).text("%.1f")).isEqualTo("1.3");
  }

  @Test
  void spreadIsShownWhereItIsSeen() {
    assertThat(Spread.of(List.of(1.0, 2.0, 4.0)).text("%.1f")).isEqualTo("2.0 (1.0 to 4.0)");
    assertThat(Spread.of(List.of(1.01, 1.02)).text("%.1f")).isEqualTo("1.0");
  }

  @Test
  void nothingHasNoMedian() {
    assertThatThrownBy(() -> Spread.of(List.of())).hasMessageContaining("nothing was measured");
  }
}
