package io.zerorename.hive;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.testing.hive.StatementFailedException;
import io.zerorename.testing.s3server.RequestCounts;
import io.zerorename.testing.s3server.RequestType;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.hadoop.hive.ql.metadata.DefaultStorageHandler;
import org.apache.hadoop.hive.ql.metadata.Hive;
import org.apache.hadoop.hive.ql.plan.TableDesc;
import org.apache.hadoop.hive.serde2.AbstractSerDe;
import org.apache.hadoop.hive.serde2.lazy.LazySimpleSerDe;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Statements that are none of the committer's business: with it they do the same, send the same
 * requests, and say nothing; or say why, where Hive writes to S3 by renames.
 */
class UntouchedTest {
  /** What is prepared, and the statement; {@code %s} is another name for each subject. */
  enum Case {
    LOAD_DATA(
        "create external table %s (a string) stored as textfile location 's3a://warehouse/%s'",
        "load data inpath 's3a://warehouse/%s_files' into table %s", true),
    LOAD_DATA_OVERWRITE(
        "create external table %s (a string) stored as textfile location 's3a://warehouse/%s'",
        "load data inpath 's3a://warehouse/%s_files' overwrite into table %s", true),
    ANALYZE(FILLED, "analyze table %s partition (p) compute statistics"),
    ANALYZE_COLUMNS(FILLED, "analyze table %s compute statistics for columns"),
    SELECT(FILLED, "select count(distinct a) from %s"),
    SELECT_ROWS(FILLED, "select a, p from %s order by a"),
    TRUNCATE(FILLED, "truncate table %s partition (p=1)", true),
    REPAIR(FILLED, "msck repair table %s", true),
    RENAME_PARTITION(FILLED, "alter table %s partition (p=1) rename to partition (p=7)", true),
    DROP_PARTITION(FILLED, "alter table %s drop partition (p=1)", true),
    EXPORT(FILLED, "export table %s to '%d/%s_exported'"),
    VIEW(FILLED, "create view %s_view as select * from %s");

    private final String preparation;
    private final String statement;
    private final boolean changesFiles;

    Case(String preparation, String statement) {
      this(preparation, statement, false);
    }

    Case(String preparation, String statement, boolean changesFiles) {
      this.preparation = preparation;
      this.statement = statement;
      this.changesFiles = changesFiles;
    }
  }

  private static final String FILLED = "external ";

  private final HiveOnS3 s3 = HiveOnS3.shared();

  @BeforeEach
  void reset() {
    s3.reset();
  }

  @Tag("thorough")
  @ParameterizedTest
  @EnumSource(
      value = Case.class,
      mode = EnumSource.Mode.EXCLUDE,
      names = {"LOAD_DATA", "ANALYZE"})
  void statementDoesTheSameAndSaysNothingInOtherCases(Case it) throws Exception {
    statementDoesTheSameAndSaysNothing(it);
  }

  @ParameterizedTest
  @EnumSource(
      value = Case.class,
      names = {"LOAD_DATA", "ANALYZE"})
  void statementDoesTheSameAndSaysNothing(Case it) throws Exception {
    List<RequestCounts> counts = new ArrayList<>();
    List<List<String>> rows = new ArrayList<>();
    List<List<String>> contents = new ArrayList<>();
    for (String subject : List.of("untouched_a_", "untouched_b_")) {
      s3.withoutCommitter();
      String table = subject + it.name().toLowerCase(Locale.ROOT);
      if (it.preparation.equals(FILLED)) {
        fill(table, it.preparation);
      } else {
        s3.hive().execute(it.preparation.replace("%s", table));
        s3.bucket().write(table + "_files/f", "x\ny\n".getBytes(StandardCharsets.UTF_8));
      }
      if (subject.endsWith("b_")) {
        s3.withCommitter();
      }
      RequestCounts before = s3.counts();
      rows.add(
          s3.hive()
              .execute(
                  it.statement
                      .replace("%s", table)
                      .replace("%d", s3.hive().directory().toUri().toString())));
      counts.add(s3.counts().minus(before));
      assertThat(s3.hive().console()).doesNotContain("zero-rename");
      contents.add(s3.hive().execute("select * from " + table).stream().sorted().toList());
    }
    assertThat(rows.get(1)).isEqualTo(rows.get(0));
    assertThat(contents.get(1)).isEqualTo(contents.get(0));
    // Where files may be removed or added, the table's log is looked for, and there is none.
    long looks = it.changesFiles ? 1 : 0;
    assertThat(counts.get(1).of(RequestType.LIST_OBJECTS_V2))
        .isEqualTo(counts.get(0).of(RequestType.LIST_OBJECTS_V2) + looks);
    assertThat(counts.get(1).total()).isEqualTo(counts.get(0).total() + looks);
  }

  /**
   * Hive does it for managed tables only, which its metastore makes external unless told not to.
   */
  @Tag("thorough")
  @Test
  void filesAreConcatenatedAsWithoutTheCommitter() throws Exception {
    s3.hive().set("hive.metastore.metadata.transformer.class", " ");
    Hive.closeCurrent();
    List<Object> outcomes = new ArrayList<>();
    try {
      for (String table : List.of("untouched_a_merged", "untouched_b_merged")) {
        s3.withoutCommitter();
        fill(table, "");
        s3.hive().execute("insert into " + table + " partition (p) values (3, 1)");
        s3.hive().execute("alter table " + table + " set tblproperties ('EXTERNAL'='FALSE')");
        if (table.contains("_b_")) {
          s3.withCommitter();
        }
        s3.hive().execute("alter table " + table + " partition (p=1) concatenate");
        assertThat(s3.hive().console()).doesNotContain("zero-rename");
        outcomes.add(
            List.of(
                s3.hive().execute("select * from " + table).stream().sorted().toList(),
                s3.bucket().files(table + "/p=1/").size()));
      }
    } finally {
      s3.reset();
      Hive.closeCurrent();
    }
    assertThat(outcomes.get(0)).isEqualTo(List.of(List.of("1\t1", "2\t2", "3\t1"), 1));
    assertThat(outcomes.get(1)).isEqualTo(outcomes.get(0));
  }

  /** What a table of local files was exported to becomes one on S3. */
  @Tag("thorough")
  @Test
  void importIsOfNoConcern() throws Exception {
    String exported = s3.hive().directory().resolve("untouched_import").toUri().toString();
    s3.withCommitter();
    fill("untouched_exported", FILLED);
    s3.hive().execute("export table untouched_exported to '" + exported + "'");
    List<List<String>> rows = new ArrayList<>();
    for (String table : List.of("untouched_a_import", "untouched_b_import")) {
      if (table.contains("_a_")) {
        s3.withoutCommitter();
      } else {
        s3.withCommitter();
      }
      s3.hive()
          .execute(
              "import external table "
                  + table
                  + " from '"
                  + exported
                  + "' location 's3a://warehouse/"
                  + table
                  + "'");
      assertThat(s3.hive().console()).doesNotContain("zero-rename");
      rows.add(s3.hive().execute("select * from " + table).stream().sorted().toList());
      assertThat(s3.bucket().files(table + "/")).hasSize(2);
    }
    assertThat(rows.get(0)).containsExactly("1\t1", "2\t2");
    assertThat(rows.get(1)).isEqualTo(rows.get(0));
  }

  /** Hive 4.1.0 fails there, with and without. */
  @Tag("thorough")
  @Test
  void exportToS3EndsAsWithoutTheCommitter() throws Exception {
    List<Boolean> failures = new ArrayList<>();
    for (String table : List.of("untouched_a_to_s3", "untouched_b_to_s3")) {
      s3.withoutCommitter();
      fill(table, FILLED);
      if (table.contains("_b_")) {
        s3.withCommitter();
      }
      boolean failed = false;
      try {
        s3.hive().execute("export table " + table + " to 's3a://warehouse/" + table + "_exported'");
      } catch (StatementFailedException e) {
        failed = true;
      }
      failures.add(failed);
      assertThat(s3.hive().console()).doesNotContain("zero-rename");
      // Files are copied side by side, so that others differ from run to run.
      assertThat(s3.bucket().files(table + "_exported/")).contains(table + "_exported/_metadata");
    }
    assertThat(failures).containsExactly(true, true);
  }

  /** Hive makes an INSERT of it. */
  @Test
  void loadThatHiveTurnsIntoAnInsertSaysWhy() throws Exception {
    s3.withCommitter();
    s3.hive()
        .execute(
            "create external table untouched_parted (a string) partitioned by (p string) row format"
                + " delimited fields terminated by ',' location 's3a://warehouse/untouched_parted'");
    s3.bucket().write("untouched_lines/f", "x,1\ny,2\n".getBytes(StandardCharsets.UTF_8));
    s3.hive()
        .execute("load data inpath 's3a://warehouse/untouched_lines' into table untouched_parted");

    assertThat(s3.hive().console()).contains("Hive's own rename path: STATEMENT");
    assertThat(s3.hive().execute("select * from untouched_parted"))
        .containsExactlyInAnyOrder("x\t1", "y\t2");
  }

  @Tag("thorough")
  @Test
  void resultsComeFromTheCacheAsWithoutTheCommitter() throws Exception {
    s3.withCommitter();
    fill("untouched_cached", FILLED);
    s3.hive().set("hive.query.results.cache.enabled", "true");
    s3.hive().set("hive.query.results.cache.nontransactional.tables.enabled", "true");
    String query = "select count(distinct a) from untouched_cached";
    List<String> first = s3.hive().execute(query);
    assertThat(s3.hive().execute(query)).isEqualTo(first).containsExactly("2");
    assertThat(s3.hive().console()).doesNotContain("zero-rename");

    s3.hive().execute("insert into untouched_cached partition (p=5) values (500)");
    assertThat(s3.hive().console()).contains("zero-rename: committed");
  }

  @ParameterizedTest
  @CsvSource({"into", "overwrite table"})
  void temporaryTablesAreWrittenByHive(String how) throws Exception {
    s3.withCommitter();
    s3.hive()
        .execute(
            "create temporary table if not exists untouched_temporary (a int) stored as orc location"
                + " 's3a://warehouse/untouched_temporary'");
    s3.hive().execute("insert " + how + " untouched_temporary values (1)");
    assertThat(s3.hive().console()).contains("Hive's own rename path: TEMPORARY_TABLE");
    assertThat(s3.hive().execute("select * from untouched_temporary")).contains("1");
  }

  /** A storage handler as small as can be: files of Hadoop's sequence format. */
  public static final class FilesHandler extends DefaultStorageHandler {
    /** For Hive. */
    public FilesHandler() {}

    @Override
    public Class<? extends AbstractSerDe> getSerDeClass() {
      return LazySimpleSerDe.class;
    }

    @Override
    public void configureOutputJobProperties(TableDesc table, Map<String, String> properties) {}
  }

  @Test
  void tableOfAStorageHandlerIsWrittenByIt() throws Exception {
    s3.withCommitter();
    s3.hive()
        .execute(
            "create external table untouched_handler (a int) stored by '"
                + FilesHandler.class.getName()
                + "' location 's3a://warehouse/untouched_handler'");
    s3.hive().compile("insert into untouched_handler values (1)");
    assertThat(s3.hive().console()).contains("Hive's own rename path: STORAGE_HANDLER");
  }

  private void fill(String table, String kind) throws Exception {
    s3.hive()
        .execute(
            "create "
                + kind
                + "table "
                + table
                + " (a int) partitioned by (p int) stored as orc location 's3a://warehouse/"
                + table
                + "' tblproperties ('external.table.purge'='true', 'transactional'='false')");
    s3.hive().execute("insert into " + table + " partition (p) values (1, 1), (2, 2)");
  }
}
