package io.zerorename.hive.matrix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.zerorename.hive.HiveOnS3;
import io.zerorename.testing.s3server.RequestCounts;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Nothing of a rewritten plan is left for the next statement of the session. */
@Tag("thorough")
class LeakTest {
  private final HiveOnS3 s3 = HiveOnS3.shared();

  @ParameterizedTest
  @ValueSource(strings = {"tez", "mr"})
  void withoutTheHooksPlanAndRequestsAreThoseOfHiveAgain(String engine) throws Exception {
    String table = "leak_" + engine;
    String insert = "insert overwrite table " + table + " partition (p) values (1, 'x'), (2, 'y')";
    s3.hive().set("hive.execution.engine", engine);
    s3.hive().set("hive.merge.mapfiles", "false");
    s3.withoutCommitter();
    s3.hive()
        .execute(
            "create external table "
                + table
                + " (a int) partitioned by (p string) stored as orc location 's3a://warehouse/"
                + table
                + "'");
    s3.hive().execute(insert);
    String plan = Plans.comparable(s3.hive().compile(insert));
    Settings before = Settings.of(s3);
    RequestCounts requests = run(insert);
    Set<String> changedByHive = Settings.of(s3).changedSince(before);

    s3.withCommitter();
    before = Settings.of(s3);
    RequestCounts ours = run(insert);
    assertThat(s3.hive().console()).contains("zero-rename: committed INSERT OVERWRITE");
    assertThat(Settings.of(s3).changedSince(before)).isSubsetOf(changedByHive);

    s3.withoutCommitter();
    assertThat(Plans.comparable(s3.hive().compile(insert))).isEqualTo(plan);
    RequestCounts again = run(insert);
    assertThat(s3.hive().console()).doesNotContain("zero-rename");
    assertThat(again.copies()).isEqualTo(requests.copies()).isPositive();
    assertThat(again.total())
        .isGreaterThan(ours.total())
        .isCloseTo(requests.total(), withinPercentage(5));
    assertThat(s3.hive().execute("select * from " + table))
        .containsExactlyInAnyOrder("1\tx", "2\ty");
  }

  private RequestCounts run(String statement) throws Exception {
    RequestCounts before = s3.counts();
    s3.hive().execute(statement);
    return s3.counts().minus(before);
  }
}
