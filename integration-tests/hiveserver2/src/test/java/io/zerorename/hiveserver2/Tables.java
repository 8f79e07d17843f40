package io.zerorename.hiveserver2;

import java.sql.SQLException;

/** Tables on S3 that tests begin with. {@code numbers} has the rows (1, 1), (2, 2) and (3, 3). */
final class Tables {
  private Tables() {}

  /** The source of the statements below. */
  static void createNumbers(Session session) throws SQLException {
    session.execute("create table numbers (a int, p int)");
    session.execute("insert into numbers values (1, 1), (2, 2), (3, 3)");
  }

  /** A table without rows, partitioned by {@code p}. */
  static void create(Session session, String name) throws SQLException {
    session.execute(
        "create external table %1$s (a int) partitioned by (p int) stored as orc location 's3a://%2$s/%1$s'"
            .formatted(name, HiveServer2OnS3.BUCKET));
  }

  /** A table with the rows (100, 1) and (200, 2). */
  static void createFilled(Session session, String name) throws SQLException {
    create(session, name);
    session.execute("insert into " + name + " partition (p) values (100, 1), (200, 2)");
  }

  /** Replaces and adds: partition 3 is new. */
  static String overwrite(String name) {
    return "insert overwrite table " + name + " partition (p) select a * 10, p from numbers";
  }
}
