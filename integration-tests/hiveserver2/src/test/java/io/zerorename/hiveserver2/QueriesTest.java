package io.zerorename.hiveserver2;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import org.apache.hive.jdbc.HiveStatement;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Statements of JDBC's own, at the same time, and before Hive's result cache. */
class QueriesTest {
  private final HiveServer2OnS3 s3 = HiveServer2OnS3.shared();
  private Session session;

  @BeforeEach
  void open() throws SQLException {
    session = s3.process().open();
  }

  @AfterEach
  void close() throws IOException {
    session.close();
  }

  @Test
  void preparedStatementsInsertAndRead() throws Exception {
    Tables.create(session, "prepared");
    try (PreparedStatement insert =
        session.connection().prepareStatement("insert into prepared partition (p) values (?, ?)")) {
      for (int row = 1; row <= 2; row++) {
        insert.setInt(1, row * 10);
        insert.setInt(2, row);
        insert.execute();
      }
    }
    try (PreparedStatement query =
        session.connection().prepareStatement("select a from prepared where p = ?")) {
      query.setInt(1, 2);
      try (ResultSet result = query.executeQuery()) {
        assertThat(Session.rows(result)).containsExactly("20");
      }
    }
    assertThat(session.sortedRows("select * from prepared")).containsExactly("10\t1", "20\t2");
  }

  @Tag("thorough")
  @Test
  void cachedResultsAreNotThoseOfBefore() throws Exception {
    Tables.createFilled(session, "cached");
    session.execute("set hive.query.results.cache.enabled=true");
    session.execute("set hive.query.results.cache.nontransactional.tables.enabled=true");
    session.execute("set hive.compute.query.using.stats=false");
    String query = "select sum(a) from cached";
    for (int i = 0; i < 2; i++) {
      assertThat(session.rows(query)).containsExactly("300");
    }
    List<String> told = session.linesOfOurs("insert into cached partition (p) values (7, 3)");
    assertThat(told).last().asString().contains("committed");
    assertThat(session.rows(query)).containsExactly("307");
    session.execute(Tables.overwrite("cached"));
    assertThat(session.rows(query)).containsExactly("60");
  }

  @Tag("thorough")
  @Test
  void twoStatementsOfOneSession() throws Exception {
    Tables.create(session, "one_session");
    // A session has one Tez application master, which runs one statement at a time.
    session.execute("set hive.execution.engine=mr");
    session.execute("set hive.merge.mapfiles=false");
    session.execute("set hive.server2.async.exec.async.compile=true");
    try (HiveStatement one = session.statement();
        HiveStatement other = session.statement()) {
      one.executeAsync("insert into one_session partition (p) values (1, 1)");
      other.executeAsync("insert into one_session partition (p) values (2, 1)");
      // Returns when the statement has ended, and throws if it has failed.
      one.getUpdateCount();
      other.getUpdateCount();
    }
    assertThat(session.sortedRows("select * from one_session")).containsExactly("1\t1", "2\t1");
    assertThat(s3.bucket().pendingUploads("")).isEmpty();
  }
}
