package io.zerorename.hive.matrix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.zerorename.hive.HiveOnS3;
import io.zerorename.testing.s3server.RequestCounts;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Nothing of a rewritten plan is left for the next statement of the session. */
class LeakTest {
  private static final String INSERT =
      "insert overwrite table leak partition (p) values (1, 'x'), (2, 'y')";

  private final HiveOnS3 s3 = HiveOnS3.shared();

  @ParameterizedTest
  @ValueSource(strings = {"tez", "mr"})
  void withoutTheHooksPlanAndRequestsAreThoseOfHiveAgain(String engine) throws Exception {
    s3.hive().set("hive.execution.engine", engine);
    s3.hive().set("hive.merge.mapfiles", "false");
    s3.withoutCommitter();
    s3.hive()
        .execute(
            "create external table leak (a int) partitioned by (p string) stored as orc location"
                + " 's3a://warehouse/leak_"
                + engine
                + "'");
    s3.hive().execute(INSERT);
    String plan = Plans.comparable(s3.hive().compile(INSERT));
    RequestCounts requests = run();
    Map<String, String> settings = settings();

    s3.withCommitter();
    RequestCounts ours = run();
    assertThat(s3.hive().console()).contains("zero-rename: committed INSERT OVERWRITE");

    s3.withoutCommitter();
    assertThat(settings()).isEqualTo(settings);
    assertThat(Plans.comparable(s3.hive().compile(INSERT))).isEqualTo(plan);
    RequestCounts again = run();
    assertThat(s3.hive().console()).doesNotContain("zero-rename");
    assertThat(again.copies()).isEqualTo(requests.copies()).isPositive();
    assertThat(again.total())
        .isGreaterThan(ours.total())
        .isCloseTo(requests.total(), withinPercentage(5));
    assertThat(s3.hive().execute("select * from leak")).containsExactlyInAnyOrder("1\tx", "2\ty");
    s3.hive().execute("drop table leak");
  }

  @Test
  void aFallbackChangesNoSettingOfTheSession() throws Exception {
    s3.withCommitter();
    s3.hive().set("zerorename.hive.enabled", "false");
    s3.hive()
        .execute(
            "create external table leak_fallback (a int) location 's3a://warehouse/leak_fallback'");
    Map<String, String> settings = settings();
    s3.hive().execute("insert into leak_fallback values (1)");

    assertThat(s3.hive().console()).contains("DISABLED");
    assertThat(settings()).isEqualTo(settings);
  }

  private RequestCounts run() throws Exception {
    RequestCounts before = s3.server().gateway().counts();
    s3.hive().execute(INSERT);
    return s3.server().gateway().counts().minus(before);
  }

  private Map<String, String> settings() {
    Map<String, String> settings = new TreeMap<>();
    s3.hive().conf().forEach(setting -> settings.put(setting.getKey(), setting.getValue()));
    return settings;
  }
}
