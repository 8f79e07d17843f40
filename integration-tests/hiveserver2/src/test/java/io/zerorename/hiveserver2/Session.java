package io.zerorename.hiveserver2;

import java.io.Closeable;
import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;
import org.apache.hive.jdbc.HiveStatement;

/** A user's session over JDBC. */
final class Session implements Closeable {
  private final Connection connection;

  private Session(Connection connection) {
    this.connection = connection;
  }

  static Session open(String url) throws SQLException {
    return new Session(DriverManager.getConnection(url, "user", ""));
  }

  /** Runs a statement, and returns the log of the operation, which beeline shows while it runs. */
  List<String> execute(String sql) throws SQLException {
    try (HiveStatement statement = statement()) {
      statement.execute(sql);
      return log(statement);
    }
  }

  /** The lines of ours among those of {@link #execute}. */
  List<String> linesOfOurs(String sql) throws SQLException {
    return ours(execute(sql));
  }

  static List<String> ours(List<String> log) {
    return log.stream().filter(line -> line.contains("zero-rename: ")).toList();
  }

  /** A statement, to be closed by the caller. */
  HiveStatement statement() throws SQLException {
    return (HiveStatement) connection.createStatement();
  }

  /** What the log of a statement's operation holds that was not fetched before. */
  static List<String> log(HiveStatement statement) throws SQLException {
    List<String> lines = new ArrayList<>();
    List<String> batch;
    while (!(batch = statement.getQueryLog(true, 1_000)).isEmpty()) {
      lines.addAll(batch);
    }
    return lines;
  }

  /** The rows of a query in their own order, columns separated by tabs. */
  List<String> rows(String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(sql)) {
      return rows(result);
    }
  }

  static List<String> rows(ResultSet result) throws SQLException {
    int columns = result.getMetaData().getColumnCount();
    List<String> rows = new ArrayList<>();
    while (result.next()) {
      StringJoiner row = new StringJoiner("\t");
      for (int i = 1; i <= columns; i++) {
        row.add(String.valueOf(result.getString(i)).strip());
      }
      rows.add(row.toString());
    }
    return rows;
  }

  /** Rows of a query in order. */
  List<String> sortedRows(String sql) throws SQLException {
    return rows(sql).stream().sorted().toList();
  }

  @Override
  public void close() throws IOException {
    try {
      connection.close();
    } catch (SQLException e) {
      throw new IOException(e);
    }
  }
}
