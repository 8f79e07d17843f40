package io.zerorename.hiveserver2;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

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

  static List<Insert> few() {
    return Insert.few();
  }

  static List<Insert> moreOfEachKind() {
    List<Insert> more = new ArrayList<>(Insert.ofEachKind());
    more.removeAll(few());
    return more;
  }

  static List<Insert> others() {
    List<Insert> others = Insert.others();
    assertThat(others).hasSizeGreaterThan(80);
    return others;
  }

  @ParameterizedTest
  @MethodSource("few")
  void endsAsOnHivesOwnPath(Insert insert) throws Exception {
    twins.run(insert);
  }

  @ParameterizedTest
  @Tag("thorough")
  @MethodSource({"moreOfEachKind", "others"})
  void othersEndAsOnHivesOwnPath(Insert insert) throws Exception {
    twins.run(insert);
  }
}
