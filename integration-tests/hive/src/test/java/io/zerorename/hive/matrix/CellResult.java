package io.zerorename.hive.matrix;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import java.util.List;

/**
 * What became of a cell.
 *
 * @param outcome {@link Outcome#COMMITTED}, reasons of fallbacks, both, or {@link
 *     Outcome#UNTOUCHED}
 * @param requests to S3 with the committer, of all statements
 * @param stockRequests without it; they vary by a few
 * @param stock what is wrong on Hive's own path; null where nothing is
 */
@JsonPropertyOrder({
  "hive",
  "statement",
  "format",
  "engine",
  "outcome",
  "requests",
  "stockRequests",
  "stock"
})
@JsonInclude(JsonInclude.Include.NON_NULL)
record CellResult(
    String hive,
    String statement,
    String format,
    String engine,
    List<String> outcome,
    Long requests,
    long stockRequests,
    String stock) {
  CellResult {
    outcome = List.copyOf(outcome);
  }

  String key() {
    return hive + " " + cell();
  }

  /** The {@link Cell#key} of its cell. */
  String cell() {
    return String.join(" ", statement, format, engine);
  }

  /** Whether it says the same as an earlier result, as far as the same can be expected. */
  boolean agreesWith(CellResult earlier) {
    return withStockRequests(0).equals(earlier.withStockRequests(0))
        && Math.abs(stockRequests - earlier.stockRequests) <= 10 + earlier.stockRequests / 5;
  }

  private CellResult withStockRequests(long number) {
    return new CellResult(hive, statement, format, engine, outcome, requests, number, stock);
  }
}
