package io.zerorename.hive;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.core.config.CoreKeys;
import io.zerorename.core.job.CommitLogs;
import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.EndNote;
import io.zerorename.core.log.EntryState;
import io.zerorename.core.s3a.S3AObjectStores;
import io.zerorename.testing.s3server.Fault;
import io.zerorename.testing.s3server.FaultRule;
import io.zerorename.testing.s3server.RequestType;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hive.ql.metadata.Hive;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * INSERT INTO a partition that the metastore does not know, though there are files in its
 * directory: of a partition that was dropped, or of a run that has failed.
 */
class UnknownPartitionTest {
  private final HiveOnS3 s3 = HiveOnS3.shared();
  private final InterruptedInserts interrupted = new InterruptedInserts(s3);

  @AfterEach
  void withTheUsualMetastore() {
    Hive.closeCurrent();
  }

  /** Hive's own path replaces files of others as well where rows choose the partition. */
  @Tag("thorough")
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "left_dynamic   | external | insert into %s partition (p) values (3, 1), (4, 2)",
        "left_managed   | ''       | insert into %s partition (p=1) values (3)",
        "left_overwrite | external | insert overwrite table %s partition (p) values (3, 1)"
      })
  void rowsAreThoseOfHivesOwnPath(String name, String kind, String insert) throws Exception {
    if (kind.isEmpty()) {
      // Hive's metastore makes managed tables external unless told not to.
      s3.hive().set("hive.metastore.metadata.transformer.class", " ");
      Hive.closeCurrent();
    }
    for (String table : List.of(name + "_stock", name + "_ours")) {
      if (table.endsWith("_stock")) {
        s3.withoutCommitter();
      } else {
        s3.withCommitter();
      }
      create(kind, table);
      s3.hive().execute("insert into " + table + " partition (p) values (1, 1), (2, 2)");
      s3.hive().execute("alter table " + table + " drop partition (p=1)");
      for (String file : List.of("000000_0", "other", "below/other", "_hidden")) {
        s3.bucket().write(table + "/p=1/" + file, "9\n".getBytes(UTF_8));
      }
      s3.hive().execute(insert.replace("%s", table));
    }
    String console = s3.hive().console();

    TableState stock = TableState.of(s3.hive(), name + "_stock");
    TableState ours = TableState.of(s3.hive(), name + "_ours");
    assertThat(ours.rows()).isEqualTo(stock.rows());
    assertThat(ours.places().get("p=1"))
        .containsEntry("numFiles", stock.places().get("p=1").get("numFiles"))
        .containsEntry("totalSize", stock.places().get("p=1").get("totalSize"));
    long kept = Long.parseLong(stock.places().get("p=1").get("numFiles")) - 1;
    if (kept > 0) {
      assertThat(console)
          .contains(
              "default." + name + "_ours gets the partition at s3a://",
              "/p=1 with " + kept + " files that were there before");
    } else {
      assertThat(console).doesNotContain("that were there before");
    }
    assertThat(kept > 0).isEqualTo(insert.contains("(p=1)"));
    assertThat(s3.bucket().files(name + "_ours/p=1/")).contains(name + "_ours/p=1/_hidden");
    assertThat(s3.hive().execute("select count(*) from " + name + "_ours"))
        .containsExactly(Integer.toString(ours.rows().size()));
  }

  /** Its partition is not in the metastore yet, and will be. */
  @Test
  void rowsOfAnInsertThatHasNotRegisteredItsPartitionStay() throws Exception {
    String table = "left_by_open_insert";
    failWithoutTheSecond(table, "insert into");
    assertThat(s3.bucket().files(table + "/")).as("visible").hasSize(1);

    interrupted.insertLater(table, "insert into " + table + " partition (p) values (3, 1)");

    interrupted.assertRows(table, "1", "2", "3");
  }

  /** An operator's command has no metastore. */
  @ParameterizedTest
  @TieredCases(
      quick = 1,
      value = {
        "left_by_damaged_insert   | insert into            | recover",
        "left_by_given_up_replace | insert overwrite table | recover --give-up",
      })
  void rowsBesideLostFilesStay(String table, String insert, String command) throws Exception {
    failWithoutTheSecond(table, insert);
    loseTheSecond(table);
    assertThat(s3.bucket().files(table + "/p=1/")).as("visible").hasSize(1);

    assertThat(interrupted.command(command + " s3a://warehouse/" + table))
        .contains("has lost files (1)", "The next INSERT into that table registers its partitions");

    s3.hive().execute("insert into " + table + " partition (p) values (3, 1)");
    s3.awaitBackgroundWork();
    interrupted.assertRows(table, "1", "3");
    interrupted.assertNothingIsOpen(table);
  }

  /** Its upload vanishes, and a process has waited for it as long as a Complete may take. */
  private void loseTheSecond(String table) throws IOException {
    List<Path> lost =
        s3.bucket().pendingUploads(table + "/p=2/").stream()
            .map(upload -> new Path("s3a://warehouse/" + upload.key()))
            .toList();
    s3.bucket().abortUploads(table + "/p=2/");
    try (S3AObjectStores stores = new S3AObjectStores(s3.hive().conf())) {
      CommitLog log =
          new CommitLogs(stores, s3.hive().conf()).of(new Path("s3a://warehouse/" + table));
      log.mark(log.read(1).orElseThrow(), EntryState.LEFT, new EndNote(2, 4, 0, lost));
    }
  }

  /** Its first partition's file is visible, and that of its second not completed. */
  private void failWithoutTheSecond(String table, String insert) throws Exception {
    s3.withCommitter();
    create("external", table);
    s3.hive().set(CoreKeys.INLINE_MAX_BYTES.name(), "0");
    s3.faults(
        FaultRule.always(
            FaultRule.typeUnder(RequestType.COMPLETE_MULTIPART_UPLOAD, table + "/p=2/"),
            Fault.accessDenied()));
    interrupted.fail(insert + " " + table + " partition (p) values (1, 1), (2, 2)");
  }

  private void create(String kind, String table) throws Exception {
    s3.hive()
        .execute(
            "create %s table %s (a int) partitioned by (p int) stored as textfile"
                    .formatted(kind, table)
                + " location 's3a://warehouse/%s' tblproperties ('transactional'='false')"
                    .formatted(table));
  }
}
