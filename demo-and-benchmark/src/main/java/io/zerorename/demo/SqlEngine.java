package io.zerorename.demo;

import io.zerorename.testing.hive.Sales;
import io.zerorename.testing.hive.StatementFailedException;
import io.zerorename.testing.hive.Timeline;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.Map;

/** What runs the statements of the comparison, one after the other. */
interface SqlEngine extends Closeable {
  EngineFacts facts();

  /** Of what it runs on, by the names of products in lower case. */
  Map<String, String> versions() throws StatementFailedException, IOException;

  /** Three: as it comes, with the remedy that it offers itself, and with the committer. */
  List<Way> ways();

  /** Has the statements to come commit in a way. Nothing else differs between the ways. */
  void use(Way way);

  /**
   * Runs one statement.
   *
   * @return the rows of a query, columns separated by tabs
   */
  List<String> execute(String statement) throws StatementFailedException, IOException;

  /** When the last statement was in which phase. */
  Timeline timeline();

  /** What the committer said during the last statement, one line each. */
  List<String> committerLines() throws IOException;

  /**
   * The partitions of a table that the metastore knows, by name, with their parameters; for a table
   * without partitions the table itself, as {@link Sales#WHOLE_TABLE}.
   */
  Map<String, Map<String, String>> partitions(String table)
      throws StatementFailedException, IOException;
}
