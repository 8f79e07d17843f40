package io.zerorename.testing.statements;

import java.util.List;
import java.util.Map;

/**
 * Statements whose outcome is one row of the support table.
 *
 * @param group the heading above it
 * @param id of letters and dashes
 * @param settings of the session, for all statements
 * @param stockOnScratch whether Hive's own path runs with {@code hive.use.scratchdir.for.staging},
 *     because it is slow without, or because S3Proxy, which gives directories no ETag, cannot take
 *     its renames of empty directories
 * @param rows in all tables in the end
 * @param setup what is there before
 * @param runs what is compared, statement by statement
 */
public record Shape(
    String group,
    String id,
    String title,
    List<Format> formats,
    Map<String, String> settings,
    boolean stockOnScratch,
    int rows,
    List<String> setup,
    List<String> runs) {
  /** Nothing of it can be changed. */
  public Shape {
    formats = List.copyOf(formats);
    settings = Map.copyOf(settings);
    setup = List.copyOf(setup);
    runs = List.copyOf(runs);
  }

  /** Whether its statements run in transactions. */
  public boolean transactions() {
    return settings.containsKey("hive.txn.manager");
  }
}
