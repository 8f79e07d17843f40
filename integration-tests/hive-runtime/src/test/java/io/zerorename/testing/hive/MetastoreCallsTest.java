package io.zerorename.testing.hive;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.testing.hive.MetastoreCalls.Call;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class MetastoreCallsTest {
  private static final Instant START = Instant.parse("2026-11-21T08:00:00Z");

  @Test
  void callsAtTheSameTimeCountOnce() {
    assertThat(within(0, 10, call(1, 3), call(2, 5), call(2, 4), call(7, 8)))
        .isEqualTo(Duration.ofSeconds(5));
  }

  @Test
  void onlyWhatIsWithinCounts() {
    assertThat(within(2, 6, call(0, 1), call(1, 3), call(5, 9), call(7, 9)))
        .isEqualTo(Duration.ofSeconds(2));
  }

  private static Duration within(int begin, int end, Call... calls) {
    return MetastoreCalls.within(at(begin), at(end), List.of(calls));
  }

  private static Call call(int begin, int end) {
    return new Call("get_table", at(begin), at(end));
  }

  private static Instant at(int second) {
    return START.plusSeconds(second);
  }
}
