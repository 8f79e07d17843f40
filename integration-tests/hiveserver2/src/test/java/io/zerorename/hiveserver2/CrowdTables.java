package io.zerorename.hiveserver2;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;

/** Tables into which many statements insert, each of them rows that no other has. */
final class CrowdTables {
  private final String prefix;

  /** By table, the rows that it must have. */
  private final List<List<String>> expected = new ArrayList<>();

  private int statements;

  private CrowdTables(String prefix) {
    this.prefix = prefix;
  }

  /** Creates so many. */
  static CrowdTables create(Session session, String prefix, int size) throws SQLException {
    CrowdTables tables = new CrowdTables(prefix);
    for (int i = 0; i < size; i++) {
      Tables.create(session, tables.name(i));
      tables.expected.add(new ArrayList<>());
    }
    return tables;
  }

  private String name(int table) {
    return prefix + "_" + table;
  }

  /**
   * INSERT INTO statements, each for the next table.
   *
   * @param partitions of each statement, which are its own
   */
  List<String> inserts(int count, int partitions) {
    List<String> inserts = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      inserts.add(insert(i % expected.size(), partitions));
    }
    return inserts;
  }

  private String insert(int table, int partitions) {
    int statement = statements++;
    StringJoiner values =
        new StringJoiner(", ", "insert into " + name(table) + " partition (p) values ", "");
    for (int i = 0; i < partitions; i++) {
      int partition = statement * partitions + i;
      values.add("(" + statement + ", " + partition + ")");
      expected.get(table).add(statement + "\t" + partition);
    }
    return values.toString();
  }

  /** All rows of the statements so far are there once, and no others. */
  void assertRows(Session session) throws SQLException {
    for (int i = 0; i < expected.size(); i++) {
      assertThat(session.rows("select * from " + name(i)))
          .containsExactlyInAnyOrderElementsOf(expected.get(i));
    }
  }
}
