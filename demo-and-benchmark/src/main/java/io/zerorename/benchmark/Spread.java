package io.zerorename.benchmark;

import java.util.Arrays;
import java.util.Collection;
import java.util.Locale;

/** The middle of several measurements, and how far apart they were. */
record Spread(double median, double least, double most, int count) {
  /**
   * The spread of some numbers; of an even number of them, the median is halfway between the two in
   * the middle.
   */
  static Spread of(Collection<Double> values) {
    if (values.isEmpty()) {
      throw new IllegalArgumentException("nothing was measured, so there is no median");
    }
    double[] sorted = values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
    int middle = sorted.length / 2;
    double median =
        sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    return new Spread(median, sorted[0], Arrays.stream(sorted).max().orElseThrow(), sorted.length);
  }

  /** The median, and the spread where there is any. */
  String text(String format) {
    String middle = number(format, median);
    return number(format, least).equals(number(format, most))
        ? middle
        : middle + " (" + number(format, least) + " to " + number(format, most) + ")";
  }

  private static String number(String format, double value) {
    return String.format(Locale.ROOT, format, value);
  }
}
