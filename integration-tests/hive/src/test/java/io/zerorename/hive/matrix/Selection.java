package io.zerorename.hive.matrix;

import java.util.List;

/**
 * The cells of the quick tier: one of each group of statements at least, each format, both engines,
 * and both ways to end: committed, on Hive's own path. The thorough tier runs all.
 */
final class Selection {
  private static final List<String> QUICK =
      List.of(
          "into csv tez",
          "into json tez",
          "into sequencefile tez",
          "into avro mr",
          "overwrite-dynamic rcfile mr",
          "join orc mr",
          "own-location-static orc tez",
          "union-dynamic parquet tez",
          "directory-and-table text mr",
          "bucketed orc tez",
          "merge orc mr");

  private Selection() {}

  /** In the order of the support table. */
  static List<Cell> ofQuickTier() {
    List<Cell> chosen = Cell.all().stream().filter(cell -> QUICK.contains(cell.key())).toList();
    if (chosen.size() != QUICK.size()) {
      throw new IllegalStateException("there are only " + chosen + " of " + QUICK);
    }
    return chosen;
  }
}
