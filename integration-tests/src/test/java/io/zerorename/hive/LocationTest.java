package io.zerorename.hive;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.hadoop.hive.ql.metadata.Hive;
import org.apache.hadoop.hive.ql.metadata.Partition;
import org.apache.hadoop.hive.ql.metadata.Table;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Partitions that are not below their table's directory: Hive's own path writes into the location
 * that a partition has, and so does the committer, or it leaves the INSERT to Hive.
 */
class LocationTest {
  private static final String TABLE =
      "create external table %s (a int) partitioned by (p string, q int) stored as orc location %l";

  private final HiveOnS3 s3 = HiveOnS3.shared();

  @BeforeEach
  void reset() {
    s3.reset();
  }

  @Test
  void rowsGoToTheLocationOfThePartitionThatTheyChoose() throws Exception {
    TwinTables twins =
        TwinTables.create(s3, "location", TABLE)
            .prepare(
                "alter table %s add partition (p='x:y', q=1) location"
                    + " 's3a://warehouse/%s-elsewhere/one'");

    twins
        .insert("insert into %s partition (p, q) values (1, 'x:y', 1), (2, 'x:y', 2)")
        .insert("insert overwrite table %s partition (p='x:y', q) values (3, 1), (4, 3)")
        .insert("insert overwrite table %s partition (p='x:y', q=1) values (5)");

    assertThat(s3.bucket().files(twins.ours() + "-elsewhere/one/")).hasSize(1);
    assertThat(s3.bucket().files(twins.ours() + "/"))
        .hasSize(2)
        .noneMatch(file -> file.contains("q=1"));
    assertThat(twins.query("select * from %s"))
        .containsExactly("2\tx:y\t2", "4\tx:y\t3", "5\tx:y\t1");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "s3a://location-kept/one",
        "file:%d/location_of_one",
        "s3a://warehouse/location_kept/p=x/q=2",
        "s3a://warehouse/"
      })
  void rowsAreVisibleWhereTheCommitterLeavesTheInsertToHive(String location) throws Exception {
    if (location.startsWith("s3a://location-kept/")) {
      s3.server().createBucket("location-kept");
    }
    s3.withCommitter();
    s3.hive().execute("drop table if exists location_kept");
    s3.hive()
        .execute(
            TABLE.replace("%s", "location_kept").replace("%l", "'s3a://warehouse/location_kept'"));
    s3.hive()
        .execute(
            "alter table location_kept add partition (p='x', q=1) location '"
                + location.replace("%d", s3.hive().directory().toString())
                + "'");
    String statement = "insert into location_kept partition (p, q) values (1, 'x', 1), (2, 'y', 2)";
    s3.hive().compile(statement);

    assertThat(s3.hive().console()).contains("path: CUSTOM_PARTITION_LOCATION");

    if (location.startsWith("file:")) {
      s3.hive().execute(statement);
      assertThat(s3.hive().execute("select a from location_kept"))
          .containsExactlyInAnyOrder("1", "2");
    }
  }

  @Test
  void statementThatNamesThePartitionWritesToAnotherBucket() throws Exception {
    s3.withCommitter();
    var other = s3.server().createBucket("location-other");
    s3.hive()
        .execute(
            TABLE
                .replace("%s", "location_bucket")
                .replace("%l", "'s3a://warehouse/location_bucket'"));
    s3.hive()
        .execute(
            "alter table location_bucket add partition (p='x', q=1) location"
                + " 's3a://location-other/one'");
    s3.hive().execute("insert into location_bucket partition (p='x', q=1) values (1)");
    s3.hive().execute("insert overwrite table location_bucket partition (p='x', q=1) values (2)");

    assertThat(s3.hive().console()).contains("zero-rename: committed INSERT OVERWRITE");
    assertThat(s3.hive().execute("select * from location_bucket")).containsExactly("2\tx\t1");
    assertThat(other.files("one/")).hasSize(1);
    assertThat(locations("location_bucket"))
        .isEqualTo(Map.of("p=x/q=1", "s3a://location-other/one"));
  }

  @Test
  void tableAndPartitionMayBeOnDifferentFileSystems() throws Exception {
    s3.withCommitter();
    String local = "file:" + s3.hive().directory() + "/location_local";
    for (List<String> places :
        List.of(
            List.of("location_on_s3", "s3a://warehouse/location_on_s3", local + "/of_partition"),
            List.of("location_local", local + "/of_table", "s3a://warehouse/location_local"))) {
      String table = places.get(0);
      s3.hive().execute(TABLE.replace("%s", table).replace("%l", "'" + places.get(1) + "'"));
      s3.hive()
          .execute(
              "alter table "
                  + table
                  + " add partition (p='x', q=1) location '"
                  + places.get(2)
                  + "'");
      s3.hive().execute("insert into " + table + " partition (p='x', q=1) values (1)");

      // The committer is concerned by where the rows go.
      if (places.get(2).startsWith("s3a:")) {
        assertThat(s3.hive().console()).contains("path: CUSTOM_PARTITION_LOCATION");
      } else {
        assertThat(s3.hive().console()).doesNotContain("zero-rename");
      }
      assertThat(s3.hive().execute("select * from " + table)).containsExactly("1\tx\t1");
    }
  }

  private Map<String, String> locations(String name) throws Exception {
    Hive metastore = s3.hive().metastore();
    Table table = metastore.getTable("default", name);
    return metastore.getPartitions(table).stream()
        .collect(Collectors.toMap(Partition::getName, Partition::getLocation));
  }
}
