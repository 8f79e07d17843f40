package io.zerorename.hive;

import io.zerorename.testing.hive.LocalHive;

/** A table of four rows on a local disk that statements of tests read from. */
final class SourceRows {
  private SourceRows() {}

  /** Makes {@code source_rows (a int, b string)}, unless it is there. */
  static void create(LocalHive hive) throws Exception {
    if (hive.execute("show tables like 'source_rows'").isEmpty()) {
      hive.execute(
          "create table source_rows (a int, b string) tblproperties ('transactional'='false')");
      hive.execute("insert into source_rows values (1, 'a'), (2, 'b'), (3, 'c'), (4, 'd')");
    }
  }
}
