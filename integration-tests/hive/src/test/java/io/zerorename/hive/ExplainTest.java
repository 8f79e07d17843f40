package io.zerorename.hive;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.testing.s3server.RequestType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** EXPLAIN shows the plan that would run, or why Hive keeps its own, and leaves nothing. */
class ExplainTest {
  private static final String ELIGIBLE =
      " insert overwrite table explain_form partition (p) values (1, 1)";
  private static final String FALLBACK = " insert into explain_form_skewed values (1)";

  private final HiveOnS3 s3 = HiveOnS3.shared().withCommitter();

  @BeforeEach
  void createTables() throws Exception {
    s3.createOnce("explain_form", "(a int) partitioned by (p int) stored as orc");
    s3.createOnce(
        "explain_form_skewed", "(a int) skewed by (a) on (1) stored as directories stored as orc");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"explain", "explain extended", "explain formatted", "explain vectorization"})
  void planShowsTheCommitOrTheReasonAndNothingIsWritten(String form) throws Exception {
    // The short form of Tez is the next test's.
    s3.hive().set("hive.explain.user", "false");
    List<Path> filesBefore = files();
    var objectsBefore = s3.bucket().objects("");
    long putsBefore = s3.counts().of(RequestType.PUT_OBJECT);

    String eligible = explain(form + ELIGIBLE);
    String console = s3.hive().console();
    String fallback = explain(form + FALLBACK);

    assertThat(eligible).contains("Zero-Rename Commit", "default.explain_form");
    assertThat(eligible.replace(" ", "")).containsAnyOf("replace:true", "\"replace:\":\"true\"");
    assertThat(console).doesNotContain("zero-rename");
    assertThat(fallback)
        .contains("Zero-Rename Commit", "LIST_BUCKETING", "the table is list-bucketed");
    assertThat(s3.hive().console())
        .contains("explain_form_skewed is written by Hive's own rename path: LIST_BUCKETING");
    assertThat(s3.bucket().objects("")).isEqualTo(objectsBefore);
    assertThat(s3.counts().of(RequestType.PUT_OBJECT)).isEqualTo(putsBefore);
    assertThat(files()).isEqualTo(filesBefore);
  }

  @Test
  void shortFormOfTezShowsThemToo() throws Exception {
    s3.hive().set("hive.explain.user", "true");
    assertThat(explain("explain" + ELIGIBLE))
        .containsPattern("Zero-Rename Commit\\{.*\"table:\":\"default.explain_form\"");
    assertThat(explain("explain" + FALLBACK))
        .containsPattern("Zero-Rename Commit\\{\"not used:\":\"LIST_BUCKETING\"");
  }

  @Test
  void statementThatWouldFailIsTold() throws Exception {
    s3.hive().set("hive.explain.user", "false");
    s3.hive().set("zerorename.hive.fallback", "fail");
    assertThat(explain("explain" + FALLBACK))
        .contains("the statement would fail for that, as zerorename.hive.fallback is fail");
  }

  /** It runs the tasks and throws away what they write. */
  @Test
  void analyzeCountsRowsAndLeavesNothing() throws Exception {
    s3.hive().execute("insert into explain_form partition (p) values (7, 7)");
    var objectsBefore = s3.bucket().objects("");

    String plan = explain("explain analyze" + ELIGIBLE);
    String console = s3.hive().console();

    assertThat(plan).contains("Zero-Rename Commit", "rows=1/1");
    assertThat(console).doesNotContain("zero-rename");
    assertThat(s3.bucket().objects("")).isEqualTo(objectsBefore);
    assertThat(s3.bucket().pendingUploads("")).isEmpty();
    assertThat(explain("explain analyze" + FALLBACK))
        .contains("Zero-Rename Commit", "LIST_BUCKETING");
    assertThat(s3.bucket().objects("")).isEqualTo(objectsBefore);
  }

  /** Hive itself runs the statement for it, and keeps what it writes. */
  @Tag("thorough")
  @Test
  void reoptimizationCommitsAsHiveDoes() throws Exception {
    for (String table : List.of("reoptimized_stock", "reoptimized_ours")) {
      if (table.endsWith("stock")) {
        s3.withoutCommitter();
      } else {
        s3.withCommitter();
      }
      s3.create(table, "(a int) stored as orc");
      String plan = explain("explain reoptimization insert into " + table + " values (1), (2)");
      assertThat(plan.contains("Zero-Rename Commit")).isEqualTo(table.endsWith("ours"));
    }
    assertThat(s3.hive().console()).contains("zero-rename: committed INSERT INTO");
    assertThat(TableState.of(s3.hive(), "reoptimized_ours"))
        .isEqualTo(TableState.of(s3.hive(), "reoptimized_stock"));
  }

  private String explain(String statement) throws Exception {
    return String.join("\n", s3.hive().execute(statement));
  }

  /** On the scratch file system. */
  private List<Path> files() throws IOException {
    try (Stream<Path> all = Files.walk(s3.hive().directory().resolve("scratch"))) {
      return all.filter(path -> path.toString().contains("zerorename")).sorted().toList();
    }
  }
}
