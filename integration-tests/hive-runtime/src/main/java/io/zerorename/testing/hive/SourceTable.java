package io.zerorename.testing.hive;

import static java.util.stream.Collectors.joining;

import io.trino.tpcds.Results;
import io.trino.tpcds.Session;
import io.trino.tpcds.Table;
import io.trino.tpcds.column.Column;
import io.trino.tpcds.column.ColumnType;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;

/** A table of TPC-DS as a local text file, of which Hive or Spark makes an external table. */
final class SourceTable {
  private final Table table;
  private final Path directory;

  SourceTable(Table table, Path root) {
    this.table = table;
    this.directory = root.resolve(table.getName());
  }

  String name() {
    return table.getName();
  }

  /** The names and types of the columns, as in CREATE TABLE. */
  String columns() {
    return Arrays.stream(table.getColumns())
        .map(column -> column.getName() + " " + hiveType(column))
        .collect(joining(", "));
  }

  /** The names of the columns, separated by commas. */
  String columnNames() {
    return Arrays.stream(table.getColumns()).map(Column::getName).collect(joining(", "));
  }

  String createStatement() {
    return "CREATE EXTERNAL TABLE "
        + name()
        + " ("
        + columns()
        + ") ROW FORMAT DELIMITED FIELDS TERMINATED BY '|' NULL DEFINED AS '' STORED AS TEXTFILE"
        + " LOCATION '"
        + directory.toUri()
        + "'";
  }

  /**
   * Generates the rows, the same for the same scale.
   *
   * @param eachRow is given every row's columns, null where the value is NULL, and returns those to
   *     write; null ends the table
   * @return the number of rows
   */
  long generate(double scale, UnaryOperator<List<String>> eachRow) throws IOException {
    Files.createDirectories(directory);
    Session session = Session.getDefaultSession().withScale(scale).withTable(table);
    long rows = 0;
    try (BufferedWriter writer = Files.newBufferedWriter(directory.resolve("data.txt"))) {
      // A row of a table with a child, as store_sales has, comes with rows of the child.
      for (List<List<String>> rowAndChildren : Results.constructResults(table, session)) {
        List<String> row = eachRow.apply(rowAndChildren.get(0));
        if (row == null) {
          break;
        }
        for (int i = 0; i < row.size(); i++) {
          if (i > 0) {
            writer.write('|');
          }
          String value = row.get(i);
          if (value != null) {
            writer.write(value);
          }
        }
        writer.write('\n');
        rows++;
      }
    }
    return rows;
  }

  private static String hiveType(Column column) {
    ColumnType type = column.getType();
    return switch (type.getBase()) {
      case INTEGER -> "int";
      case IDENTIFIER -> "bigint";
      case DATE -> "date";
      case DECIMAL ->
          "decimal("
              + type.getPrecision().orElseThrow()
              + ","
              + type.getScale().orElseThrow()
              + ")";
      case CHAR -> "char(" + type.getPrecision().orElseThrow() + ")";
      case VARCHAR -> "varchar(" + type.getPrecision().orElseThrow() + ")";
      case TIME -> "string";
    };
  }
}
