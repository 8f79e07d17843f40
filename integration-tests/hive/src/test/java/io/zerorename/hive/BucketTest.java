package io.zerorename.hive;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Bucketed tables: each row is in the file whose name tells its bucket, and whoever trusts in that
 * finds it, also where Hive makes files for buckets without rows.
 */
@Tag("thorough")
class BucketTest {
  private static final String ROWS =
      "select pos as a, concat('v', pos) as b from (select posexplode(split(space(39), ' ')) as"
          + " (pos, x)) numbers";
  private static final String BUCKET_OF_ROWS =
      "select regexp_extract(INPUT__FILE__NAME, '([0-9]+)_[0-9]+[^/]*$', 1), a from %s";

  private final HiveOnS3 s3 = HiveOnS3.shared();

  @BeforeEach
  void reset() {
    s3.hive().set("hive.merge.mapfiles", "false");
    s3.hive().set("hive.merge.mapredfiles", "false");
  }

  @ParameterizedTest
  @ValueSource(strings = {"tez", "mr"})
  void joinsSamplesAndPrunedScansFindTheRows(String engine) throws Exception {
    s3.hive().set("hive.execution.engine", engine);
    TwinTables twins =
        TwinTables.create(
            s3,
            "bucket_" + engine,
            "(a int, b string) clustered by (a) sorted by (a) into 4" + " buckets stored as orc");
    twins.insert("insert overwrite table %s " + ROWS);

    assertThat(twins.query(BUCKET_OF_ROWS)).hasSize(40);
    assertThat(twins.query("select count(*) from %s tablesample (bucket 2 out of 4 on a)"))
        .doesNotContain("0", "40");
    s3.hive().set("hive.tez.bucket.pruning", "true");
    assertThat(twins.query("select b from %s where a = 7")).containsExactly("v7");

    // Without the committer: the join must find by the names what the committer has written.
    s3.withoutCommitter();
    String join =
        "select x.a, y.b from " + twins.ours() + " x join " + twins.stock() + " y on x.a = y.a";
    // Small tables would be joined without a look at their buckets.
    s3.hive().set("hive.auto.convert.join.noconditionaltask.size", "1");
    s3.hive().set("hive.convert.join.bucket.mapjoin.tez", "true");
    s3.hive().set("hive.optimize.bucketmapjoin", "true");
    assertJoined(join);
    s3.hive().set("hive.auto.convert.sortmerge.join", "true");
    s3.hive().set("hive.optimize.bucketmapjoin.sortedmerge", "true");
    s3.hive().set("hive.disable.unsafe.external.table.operations", "false");
    if (engine.equals("mr")) {
      assertThat(String.join("\n", s3.hive().execute("explain " + join)))
          .contains("Sorted Merge Bucket Map Join Operator");
    }
    assertJoined(join);

    twins.insert("insert into %s " + ROWS.replace("pos as a", "pos + 1 as a"));
    assertThat(twins.query(BUCKET_OF_ROWS)).hasSize(80);
  }

  private void assertJoined(String join) throws Exception {
    assertThat(s3.hive().execute(join))
        .containsExactlyInAnyOrderElementsOf(
            IntStream.range(0, 40).mapToObj(a -> a + "\tv" + a).toList());
  }

  @ParameterizedTest
  @ValueSource(strings = {"tez", "mr"})
  void oneTaskMayWriteSeveralBuckets(String engine) throws Exception {
    s3.hive().set("hive.execution.engine", engine);
    s3.hive().set("hive.exec.reducers.max", "2");
    TwinTables twins =
        TwinTables.create(
            s3,
            "bucket_spray_" + engine,
            "(a int, b string) clustered by (a) into 6 buckets stored as" + " parquet");

    twins.insert("insert into %s " + ROWS).insert("insert overwrite table %s " + ROWS);

    assertThat(twins.query(BUCKET_OF_ROWS)).hasSize(40);
  }
}
