package io.zerorename.core.upload;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PartSizesTest {
  private static final long MIB = 1L << 20;

  @ParameterizedTest
  @ValueSource(longs = {5, 8, 64, 512, 1024, 5120})
  void tenThousandPartsHoldTheLargestObjectAndNoneIsTooLarge(long baseMib) {
    PartSizes sizes = new PartSizes(baseMib * MIB);
    long total = 0;
    for (int number = 1; number <= PartSizes.MAX_PARTS; number++) {
      assertThat(sizes.of(number)).isBetween(baseMib * MIB, 5L << 30);
      total += sizes.of(number);
    }
    assertThat(total).isGreaterThanOrEqualTo(5L << 40);
  }

  @Test
  void theFirstThousandPartsAreEqual() {
    PartSizes sizes = new PartSizes(8 * MIB);
    assertThat(sizes.of(1)).isEqualTo(8 * MIB);
    assertThat(sizes.of(1000)).isEqualTo(8 * MIB);
    assertThat(sizes.of(1001)).isGreaterThan(8 * MIB);
  }
}
