package io.zerorename.hiveserver2;

import static io.zerorename.testing.s3server.FaultRule.always;
import static io.zerorename.testing.s3server.FaultRule.typeUnder;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.config.CoreKeys;
import io.zerorename.testing.s3server.Fault;
import io.zerorename.testing.s3server.FaultRule;
import io.zerorename.testing.s3server.RequestType;
import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * One session's INSERT is interrupted behind its decision, another session removes or replaces the
 * rows of the table, and the first runs its statement again: its rows are there once.
 */
@Tag("thorough")
class OrderInTwoSessionsTest {
  private final HiveServer2OnS3 s3 = HiveServer2OnS3.shared();
  private final ExecutorService threads = Executors.newFixedThreadPool(2);
  private Session first;
  private Session second;

  @BeforeEach
  void open() throws SQLException {
    first = s3.process().open();
    second = s3.process().open();
    first.execute("set " + CoreKeys.INLINE_MAX_BYTES.name() + "=0");
    for (Session session : List.of(first, second)) {
      session.execute("set " + CoreKeys.RECOVERY_PATIENCE.name() + "=0");
    }
  }

  @AfterEach
  void close() throws IOException {
    s3.process().gateway().faults(FaultRule.NONE);
    threads.shutdownNow();
    first.close();
    second.close();
  }

  private void interrupt(String statement, String table) {
    s3.process()
        .gateway()
        .faults(
            always(
                typeUnder(RequestType.COMPLETE_MULTIPART_UPLOAD, table + "/"),
                Fault.accessDenied()));
    assertThatThrownBy(() -> first.execute(statement)).isInstanceOf(SQLException.class);
    s3.process().gateway().faults(FaultRule.NONE);
    assertThat(s3.bucket().pendingUploads(table + "/")).isNotEmpty();
  }

  private void create(String table) throws SQLException {
    first.execute(
        "create external table "
            + table
            + " (a int) partitioned by (p int) stored as orc location 's3a://"
            + HiveServer2OnS3.BUCKET
            + "/"
            + table
            + "' tblproperties ('external.table.purge'='true')");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "truncated | truncate table %s                                           | 20 2",
        "overwritten | insert overwrite table %s partition (p) values (7, 1)     | 20 2, 7 1",
      })
  void rowsOfAnInterruptedInsertAreThereOnceWhereAnotherSessionHasRemovedThem(
      String name, String statement, String expected) throws Exception {
    String table = "order_" + name;
    create(table);
    first.execute("insert into " + table + " partition (p) values (1, 1)");
    String insert = "insert into " + table + " partition (p) values (20, 2)";
    interrupt("insert into " + table + " partition (p) values (10, 1)", table);

    second.execute("set hive.merge.tezfiles=true");
    List<String> log = second.execute(statement.replace("%s", table));
    assertThat(Session.ours(log)).anyMatch(line -> line.contains("is entry 3 of"));
    first.execute(insert);

    List<String> rows = new ArrayList<>();
    for (String row : expected.split(", ", -1)) {
      rows.add(row.replace(' ', '\t'));
    }
    assertThat(first.rows("select * from " + table)).containsExactlyInAnyOrderElementsOf(rows);
    assertThat(s3.bucket().pendingUploads(table + "/")).isEmpty();
  }

  @Test
  void tableThatAnotherSessionHasCreatedAgainHasNothingOfAnInterruptedInsert() throws Exception {
    String table = "order_created_again";
    create(table);
    interrupt("insert into " + table + " partition (p) values (10, 1)", table);
    second.execute("drop table " + table);
    create(table);

    first.execute("insert overwrite table " + table + " partition (p) values (20, 1)");

    assertThat(first.rows("select * from " + table)).containsExactly("20\t1");
    assertThat(
            Session.ours(first.execute("insert into " + table + " partition (p) values (30, 1)")))
        .noneMatch(line -> line.contains("interrupted"));
    assertThat(s3.bucket().pendingUploads(table + "/")).isEmpty();
  }

  /** HiveServer2 has no lock manager here, so that nothing keeps them apart but the log. */
  @Test
  void ofTwoOverwritesAtOnceOneStaysWhole() throws Exception {
    String table = "order_two_overwrites";
    create(table);
    for (int round = 0; round < 6; round++) {
      List<Future<?>> both = new ArrayList<>();
      for (Session session : List.of(first, second)) {
        String rows =
            session.equals(first) ? "(1, 1), (2, 1), (3, 1)" : "(10, 1), (20, 1), (30, 1)";
        both.add(
            threads.submit(
                () ->
                    session.execute(
                        "insert overwrite table " + table + " partition (p) values " + rows)));
      }
      for (Future<?> one : both) {
        one.get();
      }
      assertThat(first.sortedRows("select * from " + table))
          .isIn(List.of("1\t1", "2\t1", "3\t1"), List.of("10\t1", "20\t1", "30\t1"));
    }
    assertThat(s3.bucket().pendingUploads(table + "/")).isEmpty();
  }

  /** One of them on Hive's own path. */
  @Test
  void insertBesideATruncateIsThereWholeOrNotAtAll() throws Exception {
    String table = "order_beside_truncate";
    create(table);
    for (int round = 0; round < 6; round++) {
      Future<?> insert =
          threads.submit(
              () ->
                  first.execute(
                      "insert into " + table + " partition (p) values (1, 1), (2, 2), (3, 3)"));
      Future<?> truncate = threads.submit(() -> second.execute("truncate table " + table));
      insert.get();
      truncate.get();
      assertThat(first.sortedRows("select * from " + table))
          .isIn(List.of(), List.of("1\t1", "2\t2", "3\t3"));
      second.execute("truncate table " + table);
    }
    assertThat(s3.bucket().pendingUploads(table + "/")).isEmpty();
  }
}
