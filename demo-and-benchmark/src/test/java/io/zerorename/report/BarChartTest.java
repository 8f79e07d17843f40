package io.zerorename.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.report.BarChart.Bar;
import io.zerorename.report.BarChart.Chart;
import io.zerorename.report.BarChart.Segment;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class BarChartTest {
  @Test
  void oneLongBarIsCutAndTheOthersStayReadable() {
    assertThat(chart(900, 10, 5).svg())
        .contains("class=\"cut\"", "A bar with a gap", ">900<")
        .contains("width=\"74.00%\"", "width=\"51.80%\"", "width=\"25.90%\"");
  }

  @Test
  void barsOfLikeLengthAreToScale() {
    assertThat(chart(20, 10, 5).svg())
        .doesNotContain("class=\"cut\"", "A bar with a gap")
        .contains("width=\"74.00%\"", "width=\"37.00%\"", "width=\"18.50%\"");
    assertThat(chart(400, 0, 0).svg()).doesNotContain("class=\"cut\"");
    assertThat(chart(400, 1).svg()).doesNotContain("class=\"cut\"");
  }

  private static Chart chart(int... lengths) {
    List<Bar> bars =
        Arrays.stream(lengths)
            .mapToObj(
                length ->
                    new Bar("bar", List.of(new Segment("part", length, "part", "")), "" + length))
            .toList();
    return new Chart("title", bars);
  }
}
