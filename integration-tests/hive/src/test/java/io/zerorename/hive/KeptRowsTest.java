package io.zerorename.hive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.config.CoreKeys;
import io.zerorename.testing.s3server.RequestCounts;
import java.nio.charset.StandardCharsets;
import org.apache.hadoop.hive.ql.metadata.Hive;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Statements of Hive's own path that keep each row, at tables with commits that were interrupted
 * behind their decision: those are completed before.
 */
class KeptRowsTest {
  private static final String HANDLER = "org.apache.hadoop.hive.ql.metadata.DefaultStorageHandler";

  private final HiveOnS3 s3 = HiveOnS3.shared().withCommitter();
  private final InterruptedInserts interrupted = new InterruptedInserts(s3);

  @AfterEach
  void withTheUsualMetastore() {
    Hive.closeCurrent();
  }

  /** Hive's metastore makes them external unless told not to. */
  private void withManagedTables() {
    s3.hive().set("hive.metastore.metadata.transformer.class", " ");
    Hive.closeCurrent();
  }

  @Tag("thorough")
  @ParameterizedTest
  @ValueSource(
      strings = {
        "load data inpath 's3a://warehouse/%s_files' into table %s",
        "insert into %s values (10)",
      })
  void whatIsAddedComesAfterAnInterruptedInsert(String statement) throws Exception {
    String table = "added_by_" + statement.substring(0, 4);
    interrupted.create(table, "(a int) stored as textfile");
    interrupted.run("insert into " + table + " values (1)", table);
    s3.bucket().write(table + "_files/f", "10\n".getBytes(StandardCharsets.UTF_8));

    interrupted.withHivesOwnPath();
    s3.hive().execute(statement.replace("%s", table));

    assertThat(s3.hive().console())
        .contains("earlier commits to default." + table + " have not ended")
        .contains("as entry 1 and interrupted; it is complete now");
    interrupted.assertNothingIsOpen(table);
    interrupted.assertRows(table, "1", "10");
  }

  /**
   * Of a table with the row 1 in its partition 1 and an interrupted INSERT of the row 2. Also of a
   * young one: its process may still be at work on it, and both do the same.
   *
   * @param open the partition of the interrupted INSERT
   * @param prepared statements before it; {@code %d} is a local directory
   */
  @ParameterizedTest
  @TieredCases(
      quick = 1,
      value = {
        "0   | 1 | | alter table %s partition (p=1) rename to partition (p=7) | %s where p = 7 | 1 2",
        "300 | 1 | | alter table %s partition (p=1) rename to partition (p=8) | %s where p = 8 | 1 2",
        "0   | 1 | create external table %s_to like %s location 's3a://warehouse/%s_to'"
            + " | alter table %s_to exchange partition (p=1) with table %s | %s_to | 1 2",
        "0   | 1 | alter table %s set tblproperties ('EXTERNAL'='FALSE')"
            + " | alter table %s partition (p=1) concatenate | %s | 1 2",
        "0   | 2 | | msck repair table %s | %s | 1 2",
        "0   | 2 | alter table %s add partition (p=2)"
            + " | msck repair table %s drop partitions | %s | 1 2",
        // Hive 4.1.0 cannot export to S3.
        "0   | 1 | create external table %s_source like %s location 's3a://warehouse/%s_source';"
            + " insert into %s_source partition (p=2) values (20);"
            + " export table %s_source to '%d/%s_files'"
            + " | import table %s from '%d/%s_files' | %s | 1 2 20"
      })
  void statementFindsTheRowsOfAnInterruptedInsert(
      String patience, String open, String prepared, String statement, String from, String rows)
      throws Exception {
    withManagedTables();
    String table = "kept_" + Integer.toHexString(statement.hashCode());
    interrupted.create(table, "(a int) partitioned by (p int) stored as orc");
    s3.hive().execute("insert into " + table + " partition (p=1) values (1)");
    for (String each : prepared.split(";", -1)) {
      if (!each.isEmpty()) {
        s3.hive().execute(of(table, each));
      }
    }
    interrupted.run("insert into " + table + " partition (p=" + open + ") values (2)", table);
    s3.hive().set(CoreKeys.RECOVERY_PATIENCE.name(), patience);

    s3.hive().execute(of(table, statement));
    assertThat(s3.hive().console())
        .contains("earlier commits to default." + table + " have not ended")
        .contains("INSERT INTO default." + table + " was committed as entry 2");
    interrupted.assertNothingIsOpen(table);
    interrupted.assertRows(of(table, from), rows.split(" "));
  }

  private String of(String table, String statement) {
    String directory = s3.hive().directory().toUri().toString();
    return statement.replace("%s", table).replace("%d/", directory);
  }

  @Tag("thorough")
  @Test
  void wholeTableThatIsRenamedTakesThemAlongToo() throws Exception {
    withManagedTables();
    s3.hive().execute("create database moved_database location 's3a://warehouse/moved_database'");
    s3.hive()
        .execute(
            "create table moved_database.one (a int) stored as orc"
                + " tblproperties ('transactional'='false')");
    s3.hive().execute("insert into moved_database.one values (1)");
    interrupted.run("insert into moved_database.one values (2)", "moved_database/one");

    s3.hive().execute("alter table moved_database.one rename to moved_database.other");

    assertThat(s3.hive().console()).contains("earlier commits to moved_database.one have not");
    interrupted.assertNothingIsOpen("moved_database/one");
    interrupted.assertRows("moved_database.other", "1", "2");
    interrupted.insertLater("moved_database/other", "insert into moved_database.other values (3)");
    interrupted.assertRows("moved_database.other", "1", "2", "3");
  }

  @Tag("thorough")
  @Test
  void directoryThatATableLeavesHasThem() throws Exception {
    String table = "moved_location";
    interrupted.create(table);
    interrupted.create(table + "_to");
    s3.hive().execute("insert into " + table + "_to values (9)");
    interrupted.run("insert into " + table + " values (1)", table);

    s3.hive().execute("alter table " + table + " set location 's3a://warehouse/" + table + "_to'");

    interrupted.assertNothingIsOpen(table);
    assertThat(s3.bucket().files(table + "/")).hasSize(1);
    assertThat(s3.hive().execute("select a from " + table)).containsExactly("9");
  }

  /**
   * Hive changes by which rules the files are read; those that come later may not be read at all.
   *
   * @param refusal what this Hive says of an external table, or without Iceberg
   */
  @ParameterizedTest
  @TieredCases(
      quick = 1,
      value = {
        "set tblproperties ('storage_handler'='" + HANDLER + "') |",
        "convert to iceberg | Error in loading storage handler",
        "set tblproperties ('Transactional'='true') | cannot be declared transactional",
      })
  void tableOfAnotherFormatHasThem(String change, String refusal) throws Exception {
    String table = "converted_" + Integer.toHexString(change.hashCode());
    interrupted.create(table);
    s3.hive().execute("insert into " + table + " values (1)");
    interrupted.run("insert into " + table + " values (2)", table);

    String statement = "alter table " + table + " " + change;
    if (refusal.isEmpty()) {
      s3.hive().execute(statement);
    } else {
      assertThatThrownBy(() -> s3.hive().execute(statement)).hasMessageContaining(refusal);
    }

    interrupted.assertNothingIsOpen(table);
    assertThat(s3.bucket().files(table + "/")).hasSize(2);
  }

  @Test
  void otherPropertyCostsNoRequest() throws Exception {
    String table = "not_converted";
    interrupted.create(table);
    interrupted.run("insert into " + table + " values (1)", table);
    RequestCounts before = s3.counts();

    s3.hive().execute("alter table " + table + " set tblproperties ('comment'='some')");

    assertThat(s3.counts().minus(before).total()).isZero();
    s3.hive().execute("drop table " + table);
  }
}
