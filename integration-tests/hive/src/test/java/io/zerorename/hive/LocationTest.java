package io.zerorename.hive;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.core.config.CoreKeys;
import io.zerorename.hive.metastore.PartitionLocations;
import io.zerorename.testing.s3server.FaultRule;
import io.zerorename.testing.s3server.RequestType;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.apache.hadoop.hive.metastore.HiveMetaStoreClient;
import org.apache.hadoop.hive.metastore.IMetaStoreClient;
import org.apache.hadoop.hive.metastore.api.GetTableRequest;
import org.apache.hadoop.hive.ql.metadata.Hive;
import org.apache.hadoop.hive.ql.metadata.Partition;
import org.apache.hadoop.hive.ql.metadata.Table;
import org.apache.thrift.TException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Partitions that are not below their table's directory: Hive's own path writes into the location
 * that a partition has, and so does the committer, or it leaves the INSERT to Hive.
 */
class LocationTest {
  private static final String TABLE = "(a int) partitioned by (p string, q int) stored as orc";

  private final HiveOnS3 s3 = HiveOnS3.shared();

  /** The metastore is not even asked for partitions of another static part. */
  @Test
  void locationsOfPartitionsThatRowsCannotChooseDoNotMatter() throws Exception {
    s3.withCommitter();
    String table = "location_excluded";
    s3.create(table, TABLE);
    for (String partition : List.of("p='1x', q=1|x", "p='2', q=1|two", "p='2', q=2|two/in")) {
      String[] located = partition.split("\\|", 2);
      s3.addPartition(table, located[0], "s3a://warehouse/" + table + "-elsewhere/" + located[1]);
    }
    PartitionLocations known =
        new PartitionLocations(
            s3.hive().metastore(), s3.hive().metastore().getTable("default", table));
    assertThat(known.custom(List.of("1_")).keySet())
        .extracting(it -> it.getParent().getName())
        .as("an underscore is any character to the metastore")
        .containsExactly("p=1x");
    assertThat(known.custom(List.of())).hasSize(3);

    s3.hive().execute("insert into " + table + " partition (p='1_', q) values (1, 1), (2, 2)");

    assertThat(s3.hive().console()).contains("zero-rename: committed INSERT INTO");
    assertThat(s3.bucket().files(table + "-elsewhere/")).isEmpty();
    assertThat(s3.hive().execute("select * from " + table))
        .containsExactlyInAnyOrder("1\t1_\t1", "2\t1_\t2");
  }

  @ParameterizedTest
  @TieredCases(
      quick = 1,
      value = {"s3a://warehouse/location_kept-elsewhere", "file:%d/location_of_one"})
  void rowsThatMayChooseSuchAPartitionAreLeftToHive(String location) throws Exception {
    s3.withCommitter();
    s3.hive().execute("drop table if exists location_kept");
    s3.create("location_kept", TABLE);
    s3.addPartition(
        "location_kept", "p='x', q=1", location.replace("%d", s3.hive().directory().toString()));
    String statement = "insert into location_kept partition (p, q) values (1, 'x', 1), (2, 'y', 2)";

    s3.hive().execute(statement);

    assertThat(s3.hive().console()).contains("path: CUSTOM_PARTITION_LOCATION");
    assertThat(s3.hive().execute("select a from location_kept"))
        .containsExactlyInAnyOrder("1", "2");
  }

  @Tag("thorough")
  @Test
  void otherSchemesOfS3aAreTheSameBucket() throws Exception {
    s3.hive().set("fs.s3.impl", "org.apache.hadoop.fs.s3a.S3AFileSystem");
    TwinTables twins =
        TwinTables.create(s3, "location_scheme", TABLE)
            .prepare("alter table %s add partition (p='x', q=1) location 's3://warehouse/%s-one'");
    String rows = "partition (p='x', q=1) values (1), (2)";

    twins
        .insert("insert into %s " + rows)
        .insert("insert into %s " + rows)
        .insert("insert overwrite table %s " + rows);

    assertThat(s3.bucket().files(twins.ours() + "-one/")).hasSize(1);
    assertThat(twins.query("select * from %s")).hasSize(2);
  }

  @Tag("thorough")
  @Test
  void statementThatNamesThePartitionWritesToAnotherBucket() throws Exception {
    s3.withCommitter();
    var other = s3.server().createBucket("location-other");
    s3.create("location_bucket", TABLE);
    s3.addPartition("location_bucket", "p='x', q=1", "s3a://location-other/one");
    s3.hive().execute("insert into location_bucket partition (p='x', q=1) values (1)");
    s3.hive().execute("insert overwrite table location_bucket partition (p='x', q=1) values (2)");

    assertThat(s3.hive().console()).contains("zero-rename: committed INSERT OVERWRITE");
    assertThat(s3.hive().execute("select * from location_bucket")).containsExactly("2\tx\t1");
    assertThat(other.files("one/")).hasSize(1);
    assertThat(locations("location_bucket"))
        .isEqualTo(Map.of("p=x/q=1", "s3a://location-other/one"));
  }

  @Tag("thorough")
  @Test
  void tableAndPartitionMayBeOnDifferentFileSystems() throws Exception {
    s3.withCommitter();
    String local = "file:" + s3.hive().directory() + "/location_local";
    for (List<String> places :
        List.of(
            List.of("location_on_s3", "s3a://warehouse/location_on_s3", local + "/of_partition"),
            List.of("location_local", local + "/of_table", "s3a://warehouse/location_local"))) {
      String table = places.get(0);
      s3.hive()
          .execute(
              "create external table %s %s location '%s'".formatted(table, TABLE, places.get(1)));
      s3.addPartition(table, "p='x', q=1", places.get(2));
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

  /** What somebody else does while the tasks write. */
  enum Change {
    TABLE_DROPPED("the table was dropped or renamed"),
    TABLE_MADE_ANEW("the table was dropped and created again"),
    TABLE_MADE_TRANSACTIONAL("the table was made transactional"),
    TABLE_MOVED("the table is at s3a://warehouse/changed_table_moved-elsewhere"),
    PARTITION_MOVED("p=x/q=1 is at s3a://warehouse/changed_partition_moved-elsewhere"),
    PARTITION_DROPPED("p=x/q=1 at s3a://warehouse/changed_partition_dropped-one was dropped");

    private final String told;

    Change(String told) {
      this.told = told;
    }

    void make(IMetaStoreClient metastore, String name) throws TException, InterruptedException {
      org.apache.hadoop.hive.metastore.api.Table table =
          metastore.getTable(new GetTableRequest("default", name));
      String elsewhere = "s3a://warehouse/" + name + "-elsewhere";
      switch (this) {
        case TABLE_DROPPED -> metastore.dropTable("default", name, false, false);
        case TABLE_MADE_ANEW -> {
          metastore.dropTable("default", name, false, false);
          // The metastore counts time in seconds.
          Thread.sleep(1100);
          table.unsetCreateTime();
          metastore.createTable(table);
        }
        case TABLE_MADE_TRANSACTIONAL -> {
          table.setTableType("MANAGED_TABLE");
          table.getParameters().remove("EXTERNAL");
          table.getParameters().put("transactional", "true");
          table.getParameters().put("transactional_properties", "insert_only");
          metastore.alter_table("default", name, table);
        }
        case TABLE_MOVED -> {
          table.getSd().setLocation(elsewhere);
          metastore.alter_table("default", name, table);
        }
        case PARTITION_MOVED -> {
          var partition = metastore.getPartition("default", name, List.of("x", "1"));
          partition.getSd().setLocation(elsewhere);
          metastore.alter_partition("default", name, partition);
        }
        case PARTITION_DROPPED ->
            metastore.dropPartition("default", name, List.of("x", "1"), false);
      }
    }
  }

  @Tag("thorough")
  @ParameterizedTest
  @EnumSource
  void insertOfWhatIsNoMoreWhereItWasChangesNothing(Change change) throws Exception {
    s3.withCommitter();
    s3.hive().set(CoreKeys.INLINE_MAX_BYTES.name(), "0");
    String table = "changed_" + change.name().toLowerCase(Locale.ROOT);
    s3.create(table, TABLE);
    s3.addPartition(table, "p='x', q=1", "s3a://warehouse/" + table + "-one");
    s3.hive().execute("insert into " + table + " partition (p='x', q=1) values (1)");
    SortedMap<String, Long> before = s3.bucket().objects(table);
    AtomicBoolean changed = new AtomicBoolean();
    AtomicReference<Exception> failure = new AtomicReference<>();
    s3.faults(
        request -> {
          if (request.type() == RequestType.CREATE_MULTIPART_UPLOAD
              && changed.compareAndSet(false, true)) {
            try (IMetaStoreClient metastore = new HiveMetaStoreClient(s3.hive().conf())) {
              change.make(metastore, table);
            } catch (TException | InterruptedException e) {
              failure.set(e);
            }
          }
          return Optional.empty();
        });

    s3.failure("insert overwrite table " + table + " partition (p='x', q=1) values (3)");
    s3.faults(FaultRule.NONE);

    assertThat(failure.get()).isNull();
    assertThat(s3.hive().console())
        .contains("INSERT OVERWRITE of default." + table + " was not committed: ")
        .contains(change.told)
        .contains("Nothing was changed");
    assertThat(s3.bucket().objects(table)).isEqualTo(before);
    assertThat(s3.bucket().pendingUploads("")).isEmpty();
  }

  private Map<String, String> locations(String name) throws Exception {
    Hive metastore = s3.hive().metastore();
    Table table = metastore.getTable("default", name);
    return metastore.getPartitions(table).stream()
        .collect(Collectors.toMap(Partition::getName, Partition::getLocation));
  }
}
