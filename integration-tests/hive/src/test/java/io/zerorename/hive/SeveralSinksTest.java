package io.zerorename.hive;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.testing.s3server.RequestCounts;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Statements with several targets, and those of which several branches write to one target, on
 * Hive's own rename path and through the committer: the same rows, partitions and statistics.
 */
class SeveralSinksTest {
  /** Statements; the tables are {@code %a} and {@code %b}, the number is that of the commits. */
  enum Shape {
    TWO_TABLES(
        "",
        2,
        "from source_rows insert into %a select a, b insert overwrite table %b select a * 10, b"),
    TWO_PARTITIONS(
        "partitioned by (p int)",
        2,
        "from source_rows"
            + " insert overwrite table %a partition (p=1) select a, b where a < 3"
            + " insert overwrite table %a partition (p=2) select a, b where a >= 3"),
    STATIC_AND_DYNAMIC(
        "partitioned by (p string, q int)",
        3,
        "from source_rows"
            + " insert into %a partition (p='x y', q) select a, b, a"
            + " insert overwrite table %a partition (p='z', q=1) select a, b"
            + " insert overwrite table %b partition (p, q) select a, b, b, a"),
    AGGREGATED(
        "",
        2,
        "from source_rows"
            + " insert overwrite table %a select count(*), b group by b"
            + " insert into %b select max(a), b group by b"),
    NO_ROWS(
        "partitioned by (p int)",
        2,
        "from source_rows"
            + " insert overwrite table %a partition (p=1) select a, b where a > 100"
            + " insert overwrite table %b partition (p) select a, b, a where a > 100"),
    UNION_INTO(
        "",
        1,
        "insert into %a select a, b from source_rows where a > 1"
            + " union all select a + 10, b from source_rows"),
    UNION_OVERWRITE_STATIC(
        "partitioned by (p string)",
        1,
        "insert overwrite table %a partition (p='x y') select a, b from source_rows where a > 1"
            + " union all select a + 10, b from source_rows"
            + " union all select count(*), b from source_rows group by b"),
    UNION_OVERWRITE_DYNAMIC(
        "partitioned by (p int)",
        1,
        "insert overwrite table %a partition (p) select a, b, a from source_rows where a > 1"
            + " union all select a + 10, b, a from source_rows where a < 4"),
    UNION_INTO_MIXED(
        "partitioned by (p string, q int)",
        1,
        "insert into %a partition (p='s=1', q) select a, b, 7 from source_rows where a > 1"
            + " union all select a + 10, b, a from source_rows"),
    UNION_TO_TWO_TABLES(
        "",
        2,
        "from (select a, b from source_rows union all select a + 10, b from source_rows) x"
            + " insert overwrite table %a select a, b where a <> 2 insert into %b select a, b");

    private final String partitionedBy;
    private final int commits;
    private final String statement;

    Shape(String partitionedBy, int commits, String statement) {
      this.partitionedBy = partitionedBy;
      this.commits = commits;
      this.statement = statement;
    }
  }

  record Case(Shape shape, String format, String engine, boolean parallel) {}

  /** The matrix has several targets and unions as well, with fewer rows that are odd. */
  static List<Case> cases() {
    return List.of(new Case(Shape.NO_ROWS, "orc", "tez", false));
  }

  static List<Case> moreCases() {
    List<Case> cases = new ArrayList<>();
    for (Shape shape : Shape.values()) {
      cases.add(new Case(shape, "orc", "tez", shape == Shape.TWO_TABLES));
    }
    cases.add(new Case(Shape.NO_ROWS, "textfile", "mr", false));
    cases.add(new Case(Shape.TWO_TABLES, "textfile", "mr", true));
    cases.add(new Case(Shape.STATIC_AND_DYNAMIC, "textfile", "mr", false));
    cases.add(new Case(Shape.UNION_OVERWRITE_STATIC, "textfile", "mr", false));
    cases.add(new Case(Shape.UNION_INTO_MIXED, "textfile", "mr", false));
    cases.add(new Case(Shape.STATIC_AND_DYNAMIC, "parquet", "tez", true));
    cases.add(new Case(Shape.UNION_OVERWRITE_DYNAMIC, "parquet", "tez", false));
    cases.removeAll(cases());
    return cases;
  }

  private final HiveOnS3 s3 = HiveOnS3.shared();

  @BeforeEach
  void reset() {
    s3.reset();
  }

  @Tag("thorough")
  @ParameterizedTest
  @MethodSource("moreCases")
  void everyTargetOfMoreEndsAsOnHivesOwnPath(Case insert) throws Exception {
    everyTargetEndsAsOnHivesOwnPath(insert);
  }

  @ParameterizedTest
  @MethodSource("cases")
  void everyTargetEndsAsOnHivesOwnPath(Case insert) throws Exception {
    s3.hive().set("hive.execution.engine", insert.engine());
    s3.hive().set("hive.exec.parallel", String.valueOf(insert.parallel()));
    s3.hive().set("hive.multi.insert.move.tasks.share.dependencies", "" + insert.parallel());
    s3.hive().set("hive.merge.mapfiles", "false");
    SourceRows.create(s3.hive());
    List<List<TableState>> states = new ArrayList<>();
    List<RequestCounts> counts = new ArrayList<>();
    for (String subject : List.of("stock", "ours")) {
      if (subject.equals("stock")) {
        s3.withoutCommitter();
      } else {
        s3.withCommitter();
      }
      String name =
          String.join("_", "sinks", insert.shape().name(), insert.engine(), insert.format(), "")
                  .toLowerCase(Locale.ROOT)
              + subject;
      List<TableState> after = new ArrayList<>();
      String console = "";
      for (int run = 0; run < 2; run++) {
        counts.add(run(insert, name));
        console = s3.hive().console();
        after.addAll(state(name));
      }
      states.add(after);
      if (subject.equals("ours")) {
        assertThat(console.lines().filter(it -> it.contains("committed INSERT")))
            .as(console)
            .hasSize(insert.shape().commits);
        assertThat(s3.bucket().objects(name).keySet())
            .allMatch(
                key -> key.endsWith("/") || key.matches(".*/([0-9]+_)?0+[0-9]_0\\.[-0-9a-f]{36}"))
            .satisfies(keys -> assertBranchesShow(insert, keys));
      }
    }
    System.out.println(insert + ": stock " + counts.get(1) + "\n  ours " + counts.get(3));
    assertThat(states.get(1)).isEqualTo(states.get(0));
    assertThat(counts.get(2).copies() + counts.get(3).copies()).isZero();
    assertThat(s3.bucket().pendingUploads("")).isEmpty();
  }

  /** Otherwise Hive has planned one sink, and nothing is shown of several. */
  private static void assertBranchesShow(Case insert, Collection<? extends String> keys) {
    if (insert.engine().equals("tez") && insert.shape().name().startsWith("UNION")) {
      assertThat(keys).anyMatch(key -> key.matches(".*/[0-9]+_0+[0-9]_0\\.[-0-9a-f]{36}"));
    }
  }

  /** Hive's own path cannot replace by nothing on the server of the tests. */
  private String location(Case insert, String table) {
    return insert.shape() == Shape.NO_ROWS && table.contains("_stock_")
        ? s3.hive().directory().resolve(table).toUri().toString()
        : "s3a://" + HiveOnS3.BUCKET + "/" + table;
  }

  private List<TableState> state(String name) throws Exception {
    return List.of(TableState.of(s3.hive(), name + "_a"), TableState.of(s3.hive(), name + "_b"));
  }

  private RequestCounts run(Case insert, String name) throws Exception {
    for (String table : List.of(name + "_a", name + "_b")) {
      s3.hive()
          .execute(
              "create external table if not exists "
                  + table
                  + " (a int, b string) "
                  + insert.shape().partitionedBy
                  + " stored as "
                  + insert.format()
                  + " location '"
                  + location(insert, table)
                  + "'");
    }
    RequestCounts before = s3.counts();
    s3.hive()
        .execute(insert.shape().statement.replace("%a", name + "_a").replace("%b", name + "_b"));
    return s3.counts().minus(before);
  }
}
