package io.zerorename.hiveserver2;

import java.io.IOException;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** INSERTs of each kind in one HiveServer2, which everything that they leave behind stays in. */
class InsertsTest {
  private static Twins twins;

  @BeforeAll
  static void open() throws SQLException {
    HiveServer2OnS3 s3 = HiveServer2OnS3.shared();
    twins = Twins.open(s3.process(), s3.bucket());
  }

  @AfterAll
  static void close() throws IOException {
    twins.close();
  }

  @Test
  void overwriteEndsAsOnHivesOwnPath() throws Exception {
    twins.run("overwrite-dynamic orc");
  }

  /** Each kind of target, of source and of format, of those that Hive 4.1 shows in all pairs. */
  @ParameterizedTest
  @Tag("thorough")
  @ValueSource(
      strings = {
        "ctas-partitioned parquet",
        "into text",
        "overwrite parquet",
        "into-static text",
        "overwrite-static orc",
        "into-dynamic parquet",
        "overwrite-mixed orc",
        "nothing-static orc",
        "nothing-into parquet",
        "bucketed orc",
        "bucketed-sorted orc",
        "union-tables orc",
        "union orc",
        "union-dynamic parquet",
        "ctas orc"
      })
  void othersEndAsOnHivesOwnPath(String cell) throws Exception {
    twins.run(cell);
  }
}
