package io.zerorename.hiveserver2;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * A statement that writes tables, as one of many that differ in their targets and in where the rows
 * come from.
 *
 * @param definitions of the tables that it finds, but for their locations, by the letter that
 *     stands in the statements for the table's name: {@code %a} or {@code %b}
 * @param before statements that fill these
 * @param sql the statement; {@code %l} is the location of a table that it makes
 * @param tables the letters of those that it writes
 * @param rows how many they have in the end, all together
 * @param stagesOnS3 whether Hive's own path works here where it stages in the tables. It does not
 *     for no rows, because S3Proxy gives directories no ETag, without which S3A renames none
 */
record Insert(
    String name,
    Map<String, String> definitions,
    List<String> before,
    String sql,
    List<String> tables,
    int rows,
    boolean stagesOnS3) {
  private static final List<Target> ALL_TARGETS = List.of(Target.values());
  private static final List<Target> DYNAMIC_TARGETS = List.of(Target.DYNAMIC);
  private static final int ROWS_BEFORE = 2;
  private static final String STORED_AS = " stored as ";

  /** Makes what the statements read. */
  static void createSource(Session session) throws SQLException {
    session.execute("create table few (a int, b string, p string)");
    session.execute(
        "insert into few values (1, 'a', 'p1'), (2, 'b', 'p2'), (3, null, 'p2'), (4, 'd', 'p3')");
  }

  /** Where the rows go. */
  private enum Target {
    UNPARTITIONED("", "", "a, b", false),
    STATIC("partitioned by (p string)", "partition (p='x y')", "a, b", false),
    DYNAMIC("partitioned by (p string)", "partition (p)", "a, b, p", true),
    MIXED("partitioned by (s string, p string)", "partition (s='s=1', p)", "a, b, p", true),
    BUCKETED("clustered by (a) into 2 buckets", "", "a, b", false),
    BUCKETED_DYNAMIC(
        "partitioned by (p string) clustered by (a) into 2 buckets",
        "partition (p)",
        "a, b, p",
        true);

    private final String clauses;
    private final String partition;
    private final String columns;
    private final boolean dynamic;

    Target(String clauses, String partition, String columns, boolean dynamic) {
      this.clauses = clauses;
      this.partition = partition;
      this.columns = columns;
      this.dynamic = dynamic;
    }

    String define(String table, String format) {
      return "create external table "
          + table
          + " (a int, b string) "
          + clauses
          + STORED_AS
          + format;
    }

    /** Two rows, of which one is in a partition that no {@link Source} writes. */
    String fill(String table) {
      return "insert into "
          + table
          + " "
          + partition
          + (dynamic ? " values (5, 'e', 'p1'), (6, 'f', 'p9')" : " values (5, 'e'), (6, 'f')");
    }
  }

  /** Where the rows come from; {@code %c} are the columns. */
  private enum Source {
    VALUES("", "", 3),
    SELECT("", "select %c from few", 4),
    CTE("with q as (select a, upper(b) as b, p from few where a < 3) ", "select %c from q", 2),
    UNION_ALL("", "select %c from few union all select %c from few where a <> 2", 7),
    EMPTY("", "select %c from few where a > 100", 0);

    private final String with;
    private final String query;
    private final int rows;

    Source(String with, String query, int rows) {
      this.with = with;
      this.query = query;
      this.rows = rows;
    }

    String rowsFor(Target target) {
      if (this != VALUES) {
        return query.replace("%c", target.columns);
      }
      return target.dynamic
          ? "values (7, 'g', 'p1'), (8, 'h', 'p2'), (9, null, 'p1')"
          : "values (7, 'g'), (8, 'h'), (9, null)";
    }
  }

  /** INTO or OVERWRITE. */
  private enum Mode {
    INTO,
    OVERWRITE;

    /** How many rows a table has after an INSERT of this mode into one of {@link Target#fill}. */
    int rows(Target target, Source source) {
      if (this == INTO) {
        return ROWS_BEFORE + source.rows;
      }
      if (!target.dynamic) {
        return source.rows;
      }
      return source == Source.EMPTY ? ROWS_BEFORE : source.rows + 1;
    }

    String into(String table) {
      return (this == INTO ? "insert into " : "insert overwrite table ") + table + " ";
    }
  }

  /** Every target in both modes, every source, every format, and statements of other shapes. */
  static List<Insert> ofEachKind() {
    return List.of(
        of(Target.UNPARTITIONED, Mode.INTO, Source.UNION_ALL, "orc"),
        of(Target.UNPARTITIONED, Mode.OVERWRITE, Source.EMPTY, "orc"),
        of(Target.STATIC, Mode.INTO, Source.CTE, "textfile"),
        of(Target.STATIC, Mode.OVERWRITE, Source.VALUES, "orc"),
        of(Target.DYNAMIC, Mode.INTO, Source.SELECT, "parquet"),
        of(Target.DYNAMIC, Mode.OVERWRITE, Source.UNION_ALL, "orc"),
        of(Target.MIXED, Mode.INTO, Source.EMPTY, "orc"),
        of(Target.MIXED, Mode.OVERWRITE, Source.SELECT, "orc"),
        of(Target.BUCKETED, Mode.INTO, Source.VALUES, "orc"),
        of(Target.BUCKETED_DYNAMIC, Mode.OVERWRITE, Source.CTE, "orc"),
        twoTables("orc"),
        madeOf(Source.SELECT, "", "orc"),
        madeOf(Source.UNION_ALL, "partitioned by (p)", "parquet"));
  }

  /** Those of each kind that tell the metastore most. */
  static List<Insert> few() {
    return List.of(
        of(Target.DYNAMIC, Mode.OVERWRITE, Source.UNION_ALL, "orc"),
        madeOf(Source.UNION_ALL, "partitioned by (p)", "parquet"));
  }

  /** Others than {@link #ofEachKind}: all there are in ORC, and dynamic partitions in the rest. */
  static List<Insert> others() {
    List<Insert> others = new ArrayList<>();
    for (String format : List.of("orc", "parquet", "textfile")) {
      for (Target target : format.equals("orc") ? ALL_TARGETS : DYNAMIC_TARGETS) {
        for (Mode mode : Mode.values()) {
          for (Source source : Source.values()) {
            others.add(of(target, mode, source, format));
          }
        }
      }
      others.add(twoTables(format));
      // Not UNION ALL into one directory: S3Proxy shows the directories that Hive's own path moves
      // then as objects without an ETag, which S3A refuses to copy.
      others.add(madeOf(Source.SELECT, "", format));
      others.add(madeOf(Source.EMPTY, "", format));
      for (Source source : List.of(Source.SELECT, Source.UNION_ALL, Source.EMPTY)) {
        others.add(madeOf(source, "partitioned by (p)", format));
      }
    }
    others.removeAll(ofEachKind());
    return others;
  }

  private static Insert of(Target target, Mode mode, Source source, String format) {
    return new Insert(
        name(mode, target, source, format),
        Map.of("a", target.define("%a", format)),
        List.of(target.fill("%a")),
        source.with + mode.into("%a") + target.partition + " " + source.rowsFor(target),
        List.of("a"),
        mode.rows(target, source),
        source != Source.EMPTY);
  }

  /** One statement with two targets. */
  private static Insert twoTables(String format) {
    Target first = Target.UNPARTITIONED;
    Target second = Target.DYNAMIC;
    return new Insert(
        name("multi_insert", format),
        Map.of("a", first.define("%a", format), "b", second.define("%b", format)),
        List.of(first.fill("%a"), second.fill("%b")),
        "from few "
            + Mode.INTO.into("%a")
            + "select a, b where a < 3 "
            + Mode.OVERWRITE.into("%b")
            + second.partition
            + " select a * 10, b, p",
        List.of("a", "b"),
        ROWS_BEFORE + 2 + Mode.OVERWRITE.rows(second, Source.SELECT),
        true);
  }

  /** CREATE TABLE AS SELECT. */
  private static Insert madeOf(Source source, String partitionedBy, String format) {
    return new Insert(
        name("made", source, partitionedBy.isEmpty() ? "whole" : "partitioned", format),
        Map.of(),
        List.of(),
        "create external table %a "
            + partitionedBy
            + STORED_AS
            + format
            + " location '%l' as "
            + source.with
            + source.rowsFor(Target.DYNAMIC),
        List.of("a"),
        source.rows,
        source != Source.EMPTY);
  }

  private static String name(Object... words) {
    List<String> all = new ArrayList<>();
    for (Object word : words) {
      all.add(word.toString().toLowerCase(Locale.ROOT));
    }
    return String.join("_", all);
  }

  @Override
  public String toString() {
    return name;
  }
}
