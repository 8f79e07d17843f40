package io.zerorename.core.upload;

/**
 * How large the n-th part of a file is: the base size for the first 1,000, then growing by the same
 * step from part to part, so that the 10,000 parts which S3 allows hold the 5 TiB which it allows.
 */
final class PartSizes {
  static final int MAX_PARTS = 10_000;
  static final long MAX_OBJECT = 5L << 40;
  private static final int EQUAL_PARTS = 1_000;

  private final long base;
  private final long step;

  PartSizes(long base) {
    this.base = base;
    long growing = MAX_PARTS - EQUAL_PARTS;
    long steps = growing * (growing + 1) / 2;
    long missing = Math.max(0, MAX_OBJECT - base * MAX_PARTS);
    this.step = (missing + steps - 1) / steps;
  }

  /**
   * @param number from 1
   */
  long of(int number) {
    return base + step * Math.max(0, number - EQUAL_PARTS);
  }
}
