package io.zerorename.hive;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.testing.install.ConfExamples;
import io.zerorename.testing.s3server.RequestRecording;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** INSERTs with the files of conf-examples, as a user copies them. */
class ExamplesTest {
  private final HiveOnS3 s3 = HiveOnS3.shared().withoutCommitter();

  @ParameterizedTest
  @CsvSource({"hive-site.xml, example_tez", "hive-on-mr/hive-site.xml, example_mr"})
  void hiveOnBothEngines(String file, String table) throws Exception {
    use(file);

    assertInsertIsCommitted(table, "s3a");
  }

  @Test
  void tablesOfTheSchemeS3() throws Exception {
    use("emr/core-site.xml");
    use("hive-site.xml");

    assertInsertIsCommitted("example_s3", "s3");
  }

  private void use(String file) {
    ConfExamples.settings(file).forEach(s3.hive()::set);
  }

  private void assertInsertIsCommitted(String table, String scheme) throws Exception {
    s3.hive()
        .execute(
            "create external table "
                + table
                + " (a int) stored as orc location '"
                + scheme
                + "://warehouse/"
                + table
                + "'");
    try (RequestRecording recording = s3.record()) {
      // Without a reduce phase: Hive on MapReduce would merge the files of such statements.
      s3.hive().execute("insert overwrite table " + table + " values (1), (3)");

      assertThat(s3.hive().console()).contains("zero-rename: committed INSERT OVERWRITE");
      assertThat(recording.requests()).noneMatch(request -> request.type().isCopy());
    }
    assertThat(s3.hive().execute("select * from " + table)).containsExactlyInAnyOrder("1", "3");
    assertThat(s3.bucket().files(table + "/")).hasSize(1);
    assertThat(s3.bucket().pendingUploads("")).isEmpty();
  }
}
