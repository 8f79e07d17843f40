package io.zerorename.hive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.hive.fallback.FallbackReason;
import io.zerorename.hive.matrix.Plans;
import io.zerorename.testing.s3server.RequestCounts;
import io.zerorename.testing.s3server.RequestType;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import org.apache.hadoop.hive.ql.exec.Task;
import org.apache.hadoop.hive.ql.parse.AbstractSemanticAnalyzerHook;
import org.apache.hadoop.hive.ql.parse.HiveSemanticAnalyzerHookContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What is not covered keeps Hive's own plan, and says why. */
class FallbackTest {
  private static final String ORC = "(a int) stored as orc";

  /**
   * An INSERT that falls back, of those reasons for which it matters what Hive plans or loads;
   * EligibilityTest has all: what is created before, what is set, and what is then compiled.
   */
  enum Case {
    OVERLAPPING_TARGETS(
        FallbackReason.MULTI_INSERT,
        "(a int) partitioned by (p int) stored as orc",
        "from (select 1 as a, 2 as p) x insert overwrite table %s partition (p=1) select a insert"
            + " into %s partition (p) select a, p"),
    UNION_OF_JOBS(
        FallbackReason.UNION,
        ORC,
        "insert into %s select max(a) from %s group by a union all select min(a) from %s group by a",
        "hive.execution.engine=mr",
        "hive.merge.mapfiles=false",
        "hive.merge.mapredfiles=false",
        "hive.optimize.union.remove=true",
        // Else what gathers the columns' statistics needs the union.
        "hive.stats.column.autogather=false"),
    LLAP(FallbackReason.ENGINE, ORC, "insert into %s values (1)", "hive.execution.mode=llap"),
    TRASH(
        FallbackReason.TRASH, ORC, "insert overwrite table %s values (1)", "fs.trash.interval=60"),
    INTERNAL_PROBLEM(
        FallbackReason.INTERNAL,
        ORC,
        "insert into %s values (1)",
        // The file system's class cannot be loaded, which only the committer asks for.
        "zerorename.work.dir=nosuchscheme://host/work");

    private final FallbackReason reason;
    private final String definition;
    private final String statement;
    private final String settings;

    Case(FallbackReason reason, String definition, String statement, String... settings) {
      this.reason = reason;
      this.definition = definition;
      this.statement = statement;
      this.settings = String.join("\n", settings);
    }

    String table() {
      return "fallback_" + name().toLowerCase(Locale.ROOT);
    }
  }

  private final HiveOnS3 s3 = HiveOnS3.shared().withCommitter();

  @ParameterizedTest
  @EnumSource(Case.class)
  void statementKeepsHivesPlanAndSaysWhy(Case fallback) throws Exception {
    s3.create(fallback.table(), fallback.definition);
    String statement = fallback.statement.replace("%s", fallback.table());
    set(fallback);
    String plan = s3.hive().compile(statement);
    String console = s3.hive().console();
    s3.withoutCommitter();
    String stockPlan = s3.hive().compile(statement);

    assertThat(console)
        .containsPattern(
            "zero-rename: ZR-50\\d\\d: \\S+( \\(\\S+\\))? is written by Hive's own rename path: "
                + fallback.reason
                + ", ");
    assertThat(Plans.comparable(plan)).isEqualTo(Plans.comparable(stockPlan)).contains("staging");
  }

  @Test
  void preparedStatementKeepsHivesPathAndSaysWhy() throws Exception {
    s3.create("fallback_prepared", ORC);
    s3.hive().execute("create table prepared_rows (a int) tblproperties ('transactional'='false')");
    s3.hive().execute("insert into prepared_rows values (1), (2)");
    s3.hive().set("hive.merge.mapfiles", "false");
    s3.hive()
        .execute(
            "prepare of_fallback from insert overwrite table fallback_prepared select a from"
                + " prepared_rows where a > ?");

    s3.hive().execute("execute of_fallback using 1");

    assertThat(s3.hive().console())
        .contains("fallback_prepared is written by Hive's own rename path: STATEMENT, ");
    assertThat(s3.hive().execute("select * from fallback_prepared")).containsExactly("2");
  }

  private void set(Case fallback) {
    fallback
        .settings
        .lines()
        .map(line -> line.split("=", 2))
        .forEach(setting -> s3.hive().set(setting[0], setting[1]));
  }

  @ParameterizedTest
  @EnumSource(names = {"LLAP", "TRASH", "INTERNAL_PROBLEM"})
  void insertFailsWhereTheUserInsists(Case fallback) throws Exception {
    String table = "insisted_" + fallback.table();
    s3.create(table, fallback.definition);
    set(fallback);
    s3.hive().set("zerorename.bucket.warehouse.hive.fallback", "fail");

    assertThatThrownBy(() -> s3.hive().compile(fallback.statement.replace("%s", table)))
        .hasStackTraceContaining(
            "default."
                + table
                + " was not written, because only Hive's own rename path could write it and"
                + " zerorename.bucket.warehouse.hive.fallback is fail: "
                + fallback.reason
                + ", ");
  }

  /** Leaves a plan that the next who looks at it cannot read. */
  public static final class UnreadableOnce extends AbstractSemanticAnalyzerHook {
    @Override
    public void postAnalyze(HiveSemanticAnalyzerHookContext context, List<Task<?>> rootTasks) {
      // A query that only reads has none.
      rootTasks.stream()
          .filter(root -> root.getChildTasks() != null)
          .forEach(root -> root.setChildTasks(new Children(root.getChildTasks())));
    }

    private static final class Children extends ArrayList<Task<?>> {
      private static final long serialVersionUID = 1L;
      private boolean failed;

      Children(List<Task<?>> tasks) {
        super(tasks);
      }

      @Override
      public void forEach(Consumer<? super Task<?>> action) {
        if (!failed) {
          failed = true;
          throw new IllegalStateException("cannot be read this time");
        }
        super.forEach(action);
      }
    }
  }

  @Test
  void planThatCannotBeReadStaysAsItIsOrFailsWhereTheUserInsists() throws Exception {
    s3.create("unreadable", ORC);
    s3.hive()
        .set(
            "hive.semantic.analyzer.hook",
            UnreadableOnce.class.getName() + "," + ZeroRenameHook.class.getName());
    s3.hive().execute("insert into unreadable values (1)");
    assertThat(s3.hive().console())
        .contains("the statement's target is written by Hive's own rename path: INTERNAL, ")
        .contains("cannot be read this time");
    assertThat(s3.hive().execute("select * from unreadable")).containsExactly("1");

    s3.hive().set("zerorename.hive.fallback", "fail");
    assertThatThrownBy(() -> s3.hive().execute("insert into unreadable values (2)"))
        .hasStackTraceContaining("the statement's target was not written, because only Hive's own")
        .hasStackTraceContaining("zerorename.hive.fallback is fail: INTERNAL, ");
    s3.withCommitter();
    assertThat(s3.hive().execute("select * from unreadable")).containsExactly("1");
  }

  @Test
  void overwrittenFilesMayBeDeletedForGood() throws Exception {
    s3.hive().set("fs.trash.interval", "60");
    s3.hive().set("zerorename.hive.trash", "delete");
    s3.create("without_trash", ORC);
    s3.hive().execute("insert into without_trash values (1)");

    s3.hive().execute("insert overwrite table without_trash values (2)");

    assertThat(s3.hive().console()).contains("zero-rename: committed INSERT OVERWRITE");
    assertThat(s3.hive().execute("select * from without_trash")).containsExactly("2");
    assertThat(s3.bucket().files("user/")).isEmpty();
  }

  @Test
  void fallbackSendsTheRequestsOfHiveAndLooksForALogTwice() throws Exception {
    RequestCounts[] counts = new RequestCounts[2];
    for (int i = 0; i < 2; i++) {
      if (i == 0) {
        s3.withoutCommitter();
      } else {
        s3.withCommitter();
      }
      String table = "fallback_requests_" + i;
      s3.create(table, ORC, "tblproperties ('zerorename.enabled'='false')");
      s3.hive().execute("insert overwrite table " + table + " values (1)");
      RequestCounts before = s3.counts();
      s3.hive().execute("insert overwrite table " + table + " values (2)");
      counts[i] = s3.counts().minus(before);
      assertThat(s3.hive().execute("select * from " + table)).containsExactly("2");
    }
    for (RequestType type : RequestType.values()) {
      long looks = type == RequestType.LIST_OBJECTS_V2 ? 2 : 0;
      assertThat(counts[1].of(type)).as("%s", type).isEqualTo(counts[0].of(type) + looks);
    }
  }

  @Test
  void tableOnALocalDiskIsNoneOfTheCommittersBusiness() throws Exception {
    Path directory = s3.hive().directory().resolve("local-table");
    s3.hive()
        .execute(
            "create external table local_table (a int) stored as orc location '"
                + directory.toUri()
                + "'");
    RequestCounts before = s3.counts();
    String statement = "insert overwrite table local_table values (1)";
    String plan = s3.hive().compile(statement);
    s3.hive().execute(statement);
    String console = s3.hive().console();
    RequestCounts after = s3.counts();
    s3.withoutCommitter();

    assertThat(console).doesNotContain("zero-rename");
    assertThat(Plans.comparable(plan)).isEqualTo(Plans.comparable(s3.hive().compile(statement)));
    assertThat(after.minus(before).total()).isZero();
    assertThat(s3.hive().execute("select * from local_table")).containsExactly("1");
  }
}
