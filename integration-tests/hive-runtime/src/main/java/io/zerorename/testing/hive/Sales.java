package io.zerorename.testing.hive;

import io.trino.tpcds.Table;
import java.io.IOException;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;

/**
 * Source tables of TPC-DS on local disk, and the statements that read the sales of their first
 * days, and write them to a partition for each day or to a table without partitions.
 */
public final class Sales {
  /** The first day of date_dim and its key; the following days have the following keys. */
  private static final LocalDate FIRST_DAY = LocalDate.of(1900, 1, 2);

  private static final long FIRST_DAY_KEY = 2_415_022;
  private static final LocalDate FIRST_SALES = LocalDate.of(1998, 1, 2);

  /** The name of all that a table without partitions holds, in place of a partition's. */
  public static final String WHOLE_TABLE = "the whole table";

  private final SourceTable sales;
  private final SourceTable days;
  private final List<Long> dayKeys;
  private final long rows;
  private final int count;
  private final Layout layout;

  private Sales(
      SourceTable sales,
      SourceTable days,
      List<Long> dayKeys,
      long rows,
      int count,
      Layout layout) {
    this.sales = sales;
    this.days = days;
    this.dayKeys = dayKeys;
    this.rows = rows;
    this.count = count;
    this.layout = layout;
  }

  /** How a statement spreads rows over files. */
  public enum Layout {
    /** A partition for each day, which one task writes to one file. */
    FILE_PER_PARTITION,
    /** A partition for each day, and each task writes a file to each. */
    FILE_PER_TASK,
    /** No partitions; each task writes a file. */
    UNPARTITIONED;

    /** What the key of a file has between that of the table and its name, as an expression. */
    public String directory() {
      return this == UNPARTITIONED ? "" : "sold_date=[^/]+/";
    }
  }

  /** Generates store_sales and date_dim below a local directory; takes all days. */
  public static Sales generate(Path directory, double scale) throws IOException {
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
              return row;
            });
    days.generate(scale, row -> row);
    return new Sales(sales, days, List.copyOf(keys), rows, keys.size(), Layout.FILE_PER_PARTITION);
  }

  /**
   * The same with few days and many sales on each: sales of all days are moved to the first ones.
   *
   * @param scale with at least as many sales
   */
  public static Sales generate(Path directory, double scale, int dayCount, long rowsPerDay)
      throws IOException {
    SourceTable sales = new SourceTable(Table.STORE_SALES, directory);
    SourceTable days = new SourceTable(Table.DATE_DIM, directory);
    long first = FIRST_DAY_KEY + ChronoUnit.DAYS.between(FIRST_DAY, FIRST_SALES);
    List<Long> keys = LongStream.range(first, first + dayCount).boxed().toList();
    AtomicLong next = new AtomicLong();
    long rows =
        sales.generate(
            scale,
            row -> {
              if (next.get() == dayCount * rowsPerDay) {
                return null;
              }
              List<String> moved = new ArrayList<>(row);
              moved.set(0, String.valueOf(first + next.getAndIncrement() % dayCount));
              return moved;
            });
    days.generate(scale, row -> row);
    return new Sales(sales, days, keys, rows, dayCount, Layout.FILE_PER_PARTITION);
  }

  /** The days on which something was sold. */
  public int days() {
    return dayKeys.size();
  }

  /**
   * The same tables, of which the statements take fewer days.
   *
   * @param most at most {@link #days}
   */
  public Sales ofFirstDays(int most) {
    if (most < 1 || most > days()) {
      throw new IllegalArgumentException(
          "there are sales on " + days() + " days, so " + most + " of them cannot be taken");
    }
    return new Sales(sales, days, dayKeys, rows, most, layout);
  }

  /** The same tables, of which the statements spread the rows in another way. */
  public Sales laidOut(Layout other) {
    return new Sales(sales, days, dayKeys, rows, count, other);
  }

  /** All sales that were generated. */
  public long rows() {
    return rows;
  }

  /** The statements that create the source tables. */
  public List<String> createSources() {
    return List.of(sales.createStatement(), days.createStatement());
  }

  /**
   * The statement that creates a table for the sales.
   *
   * @param storedAs as in {@code STORED AS}
   */
  public String createTarget(String table, String location, String storedAs) {
    return "CREATE EXTERNAL TABLE "
        + table
        + " ("
        + sales.columns()
        + (layout == Layout.UNPARTITIONED
            ? ", sold_date date)"
            : ") PARTITIONED BY (sold_date date)")
        + " STORED AS "
        + storedAs
        + " LOCATION '"
        + location
        + "'";
  }

  /**
   * The statement that is measured. Its order is total, because a file's size depends on the order
   * of its rows, and sizes are compared.
   */
  public String insertOverwrite(String table) {
    return insert("OVERWRITE", table);
  }

  /** The same, adding to what is there. */
  public String insertInto(String table) {
    return insert("INTO", table);
  }

  private String insert(String how, String table) {
    return "INSERT "
        + how
        + " TABLE "
        + table
        + (layout == Layout.UNPARTITIONED ? "\n" : " PARTITION (sold_date)\n")
        + "SELECT s.*, d.d_date AS sold_date\n"
        + "FROM store_sales s JOIN date_dim d ON s.ss_sold_date_sk = d.d_date_sk\n"
        + "WHERE d.d_date <= DATE '"
        + lastDay()
        + "'\n"
        + "DISTRIBUTE BY "
        + (layout == Layout.FILE_PER_PARTITION ? "sold_date" : "ss_item_sk")
        + " SORT BY sold_date, ss_ticket_number, ss_item_sk";
  }

  /** Partition, count and checksum of what the statement must write. */
  public String expected() {
    return contents(
        "(SELECT s.*, d.d_date AS sold_date FROM store_sales s JOIN date_dim d ON"
            + " s.ss_sold_date_sk = d.d_date_sk WHERE d.d_date <= DATE '"
            + lastDay()
            + "') q");
  }

  /** Partition, count and checksum of what a table or a subquery holds. */
  public String contents(String from) {
    boolean whole = layout == Layout.UNPARTITIONED;
    return "SELECT "
        + (whole ? "'" + WHOLE_TABLE + "'" : "concat('sold_date=', sold_date)")
        + ", count(*), coalesce(sum(cast(hash("
        + sales.columnNames()
        + (whole ? ", sold_date" : "")
        + ") AS bigint)), 0) FROM "
        + from
        + (whole ? "" : " GROUP BY sold_date");
  }

  private LocalDate lastDay() {
    return FIRST_DAY.plusDays(dayKeys.get(count - 1) - FIRST_DAY_KEY);
  }
}
