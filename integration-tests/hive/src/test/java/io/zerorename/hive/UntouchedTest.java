package io.zerorename.hive;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.testing.s3server.RequestCounts;
import io.zerorename.testing.s3server.RequestType;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hive.ql.metadata.DefaultStorageHandler;
import org.apache.hadoop.hive.ql.plan.TableDesc;
import org.apache.hadoop.hive.serde2.AbstractSerDe;
import org.apache.hadoop.hive.serde2.lazy.LazySimpleSerDe;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;

/**
 * Statements that are none of the committer's business: with it they do the same, send the same
 * requests, and say nothing; or say why, where Hive writes to S3 by renames.
 */
class UntouchedTest {
  private final HiveOnS3 s3 = HiveOnS3.shared();
  private final InterruptedInserts interrupted = new InterruptedInserts(s3);

  /**
   * @param looks how often the log is looked for: before files may be added, and before and after
   *     they may be removed
   * @param statement where {@code %s} is another name for each subject
   */
  @ParameterizedTest
  @TieredCases(
      quick = 2,
      value = {
        "1 | load data inpath 's3a://warehouse/%s_files' into table %s",
        "0 | analyze table %s partition (p) compute statistics",
        "2 | load data inpath 's3a://warehouse/%s_files' overwrite into table %s",
        "0 | select count(distinct a) from %s",
        "0 | select a, p from %s order by a",
        "2 | truncate table %s partition (p=1)",
        "1 | msck repair table %s",
        "1 | alter table %s partition (p=1) rename to partition (p=7)",
        "2 | alter table %s drop partition (p=1)",
        "0 | export table %s to '%d/%s_exported'",
        "0 | create view %s_view as select * from %s"
      })
  void statementDoesTheSameAndSaysNothing(int looks, String statement) throws Exception {
    List<RequestCounts> counts = new ArrayList<>();
    List<List<String>> rows = new ArrayList<>();
    List<List<String>> contents = new ArrayList<>();
    for (String subject : List.of("untouched_a_", "untouched_b_")) {
      s3.withoutCommitter();
      String table = subject + Integer.toHexString(statement.hashCode());
      if (statement.startsWith("load ")) {
        s3.create(table, "(a string) stored as textfile");
        s3.bucket().write(table + "_files/f", "x\ny\n".getBytes(StandardCharsets.UTF_8));
      } else {
        interrupted.create(table, "(a int) partitioned by (p int) stored as orc");
        s3.hive().execute("insert into " + table + " partition (p) values (1, 1), (2, 2)");
      }
      if (subject.endsWith("b_")) {
        s3.withCommitter();
      }
      RequestCounts before = s3.counts();
      rows.add(
          s3.hive()
              .execute(
                  statement
                      .replace("%s", table)
                      .replace("%d", s3.hive().directory().toUri().toString())));
      counts.add(s3.counts().minus(before));
      assertThat(s3.hive().console()).doesNotContain("zero-rename");
      contents.add(s3.hive().execute("select * from " + table).stream().sorted().toList());
    }
    assertThat(rows.get(1)).isEqualTo(rows.get(0));
    assertThat(contents.get(1)).isEqualTo(contents.get(0));
    assertThat(counts.get(1).of(RequestType.LIST_OBJECTS_V2))
        .isEqualTo(counts.get(0).of(RequestType.LIST_OBJECTS_V2) + looks);
    assertThat(counts.get(1).total()).isEqualTo(counts.get(0).total() + looks);
  }

  /** Hive makes an INSERT of it. */
  @Test
  void loadThatHiveTurnsIntoAnInsertSaysWhy() throws Exception {
    s3.withCommitter();
    s3.create(
        "untouched_parted",
        "(a string) partitioned by (p string) row format delimited fields terminated by ','");
    s3.bucket().write("untouched_lines/f", "x,1\ny,2\n".getBytes(StandardCharsets.UTF_8));
    s3.hive()
        .execute("load data inpath 's3a://warehouse/untouched_lines' into table untouched_parted");

    assertThat(s3.hive().console()).contains("Hive's own rename path: STATEMENT");
    assertThat(s3.hive().execute("select * from untouched_parted"))
        .containsExactlyInAnyOrder("x\t1", "y\t2");
  }

  /** A storage handler as small as can be: files of Hadoop's sequence format. */
  public static final class FilesHandler extends DefaultStorageHandler {
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
    s3.create("untouched_handler", "(a int) stored by '" + FilesHandler.class.getName() + "'");
    s3.hive().compile("insert into untouched_handler values (1)");
    assertThat(s3.hive().console()).contains("Hive's own rename path: STORAGE_HANDLER");
  }
}
