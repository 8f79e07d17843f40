package io.zerorename.hiveserver2;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.hive.jdbc.HiveStatement;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Sessions that insert into one table at the same time: every row is there exactly once. */
@Tag("thorough")
class ConcurrentInsertsTest {
  private static final int ROUNDS = 6;

  private final HiveServer2OnS3 s3 = HiveServer2OnS3.shared();
  private final ExecutorService threads = Executors.newFixedThreadPool(2);
  private Session first;
  private Session second;

  @BeforeEach
  void open() throws SQLException {
    first = s3.process().open();
    second = s3.process().open();
  }

  @AfterEach
  void close() throws IOException {
    threads.shutdownNow();
    first.close();
    second.close();
  }

  @Test
  void twoStatementsOfOneSession() throws Exception {
    Tables.create(first, "one_session");
    // A session has one Tez application master, which runs one statement at a time.
    first.execute("set hive.execution.engine=mr");
    first.execute("set hive.merge.mapfiles=false");
    first.execute("set hive.server2.async.exec.async.compile=true");
    try (HiveStatement one = first.statement();
        HiveStatement other = first.statement()) {
      one.executeAsync("insert into one_session partition (p) values (1, 1)");
      other.executeAsync("insert into one_session partition (p) values (2, 1)");
      // Returns when the statement has ended, and throws if it has failed.
      one.getUpdateCount();
      other.getUpdateCount();
    }
    assertThat(first.sortedRows("select * from one_session")).containsExactly("1\t1", "2\t1");
    assertThat(s3.bucket().pendingUploads("")).isEmpty();
  }

  /** Which Hive's own path runs: nothing keeps them apart but the log. */
  @Test
  void insertBesideATruncateIsThereWholeOrNotAtAll() throws Exception {
    Tables.create(first, "beside_truncate");
    first.execute("alter table beside_truncate set tblproperties ('external.table.purge'='true')");
    for (int round = 0; round < ROUNDS; round++) {
      Future<?> insert =
          threads.submit(
              () ->
                  first.execute(
                      "insert into beside_truncate partition (p) values (1, 1), (2, 2), (3, 3)"));
      Future<?> truncate = threads.submit(() -> second.execute("truncate table beside_truncate"));
      insert.get();
      truncate.get();
      assertThat(first.sortedRows("select * from beside_truncate"))
          .isIn(List.of(), List.of("1	1", "2	2", "3	3"));
      second.execute("truncate table beside_truncate");
    }
    assertThat(s3.bucket().pendingUploads("")).isEmpty();
  }
}
