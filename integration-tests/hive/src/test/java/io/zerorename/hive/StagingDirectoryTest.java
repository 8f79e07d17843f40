package io.zerorename.hive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.hive.config.HiveKeys;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Values of {@code hive.exec.stagingdir} that Hive itself cannot work with. */
class StagingDirectoryTest {
  private final HiveOnS3 s3 = HiveOnS3.shared().withCommitter();

  private String overwriteStagedVisibly(String way) throws Exception {
    String table = "staged_visibly_" + way;
    s3.createPartitioned(table);
    s3.hive().execute("insert into " + table + " partition (p=1) values (1)");
    s3.hive().set("hive.exec.stagingdir", "stg");
    return "insert overwrite table " + table + " partition (p=1) select 2";
  }

  /** It deletes the directory with the old files, and with it what it stages there. */
  @Tag("thorough")
  @ParameterizedTest
  @ValueSource(strings = {"alone", "fallback"})
  void overwriteThatStagesInAVisibleDirectoryLosesAllRowsOnHivesOwnPath(String way)
      throws Exception {
    String overwrite = overwriteStagedVisibly(way);
    if (way.equals("alone")) {
      s3.withoutCommitter();
    } else {
      s3.hive().set(HiveKeys.ENABLED.name(), "false");
    }

    assertThatThrownBy(() -> s3.hive().execute(overwrite)).hasStackTraceContaining("MoveTask");

    assertThat(s3.hive().execute("select a from staged_visibly_" + way)).isEmpty();
  }

  @Test
  void throughTheCommitterItHasItsRows() throws Exception {
    s3.hive().execute(overwriteStagedVisibly("committed"));

    assertThat(s3.hive().console()).contains("zero-rename: committed INSERT OVERWRITE");
    assertThat(s3.hive().execute("select a from staged_visibly_committed")).containsExactly("2");
    assertThat(s3.bucket().objects("staged_visibly_committed/p=1/")).hasSize(1);
  }

  /** Hive stages there also what belongs to other file systems: results of queries, values. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void statementsFailInHiveItselfWhereItIsOnS3(boolean committer) throws Exception {
    String table = "staged_on_s3_" + committer;
    s3.createPartitioned(table);
    if (!committer) {
      s3.withoutCommitter();
    }
    s3.hive().set("hive.query.results.cache.enabled", "true");
    s3.hive().set("hive.query.results.cache.nontransactional.tables.enabled", "true");
    s3.hive().set("hive.exec.stagingdir", "s3a://warehouse/staged_on_s3");

    for (String statement :
        List.of(
            "select count(*) from " + table + " group by p",
            "insert into " + table + " partition (p=1) values (2)")) {
      assertThatThrownBy(() -> s3.hive().execute(statement))
          .as(statement)
          .hasStackTraceContaining("Error creating ")
          .hasStackTraceContaining("Wrong FS: s3a://warehouse/staged_on_s3");
    }
  }
}
