package io.zerorename.demo;

import io.trino.tpcds.Table;
import io.zerorename.testing.hive.LocalHive;
import io.zerorename.testing.hive.StatementFailedException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.TreeSet;

/** The source tables on local disk, and the statements that read them. */
final class Sales {
  /** The first day of date_dim and its key; the following days have the following keys. */
  private static final LocalDate FIRST_DAY = LocalDate.of(1900, 1, 2);

  private static final long FIRST_DAY_KEY = 2_415_022;

  private final SourceTable sales;
  private final SourceTable days;
  private final LocalDate lastDay;
  private final long rows;

  private Sales(SourceTable sales, SourceTable days, LocalDate lastDay, long rows) {
    this.sales = sales;
    this.days = days;
    this.lastDay = lastDay;
    this.rows = rows;
  }

  /**
   * Generates store_sales and date_dim below a local directory.
   *
   * @throws DemoException where there are fewer days of sales than wanted
   */
  static Sales generate(Path directory, double scale, int wantedDays)
      throws IOException, DemoException {
    SourceTable sales = new SourceTable(Table.STORE_SALES, directory);
    SourceTable days = new SourceTable(Table.DATE_DIM, directory);
    TreeSet<Long> keys = new TreeSet<>();
    long rows =
        sales.generate(
            scale,
            row -> {
              // ss_sold_date_sk; sales whose day is not known find no partner in the join.
              if (row.get(0) != null) {
                keys.add(Long.valueOf(row.get(0)));
              }
            });
    days.generate(scale, row -> {});
    if (keys.size() < wantedDays) {
      throw new DemoException(
          "there are sales on only "
              + keys.size()
              + " days at scale "
              + scale
              + ", fewer than --partitions "
              + wantedDays
              + ". Ask for fewer partitions or a larger --scale",
          null);
    }
    long last = keys.stream().skip(wantedDays - 1L).findFirst().orElseThrow();
    return new Sales(sales, days, FIRST_DAY.plusDays(last - FIRST_DAY_KEY), rows);
  }

  /** All sales that were generated. */
  long rows() {
    return rows;
  }

  /** Tells Hive of the source tables. */
  void create(LocalHive hive) throws StatementFailedException {
    hive.execute(sales.createStatement());
    hive.execute(days.createStatement());
  }

  String createTarget(String table, String location, DemoOptions.Format format) {
    return "CREATE EXTERNAL TABLE "
        + table
        + " ("
        + sales.columns()
        + ") PARTITIONED BY (sold_date date) STORED AS "
        + format.sql()
        + " LOCATION '"
        + location
        + "'";
  }

  /**
   * The statement that is measured. Its order is total, because a file's size depends on the order
   * of its rows, and sizes are compared.
   */
  String insert(String table) {
    return "INSERT OVERWRITE TABLE "
        + table
        + " PARTITION (sold_date)\n"
        + "SELECT s.*, d.d_date AS sold_date\n"
        + "FROM store_sales s JOIN date_dim d ON s.ss_sold_date_sk = d.d_date_sk\n"
        + "WHERE d.d_date <= DATE '"
        + lastDay
        + "'\n"
        + "DISTRIBUTE BY sold_date SORT BY sold_date, ss_ticket_number, ss_item_sk";
  }

  /** Day, count and checksum of what the statement must write. */
  String expected() {
    return contents(
        "(SELECT s.*, d.d_date AS sold_date FROM store_sales s JOIN date_dim d ON"
            + " s.ss_sold_date_sk = d.d_date_sk WHERE d.d_date <= DATE '"
            + lastDay
            + "') q");
  }

  /** Day, count and checksum of what a table or a subquery holds. */
  String contents(String from) {
    return "SELECT sold_date, count(*), sum(cast(hash("
        + sales.columnNames()
        + ") AS bigint)) FROM "
        + from
        + " GROUP BY sold_date";
  }
}
