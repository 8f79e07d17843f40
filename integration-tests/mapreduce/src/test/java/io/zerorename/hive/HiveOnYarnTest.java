package io.zerorename.hive;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.testing.hive.HiveSessionProcess;
import io.zerorename.testing.mapreduce.ClusterExtension;
import io.zerorename.testing.mapreduce.MapReduceCluster;
import io.zerorename.testing.mapreduce.Processes;
import io.zerorename.testing.process.Kill;
import io.zerorename.testing.s3server.RequestCounts;
import io.zerorename.testing.s3server.RequestType;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * INSERTs of a Hive whose tasks run in containers, which have the committer because Hive sends them
 * its jar, and whose scratch directory is on HDFS.
 */
@ExtendWith(ClusterExtension.class)
@Tag("thorough")
final class HiveOnYarnTest {
  private static final int ROWS = 60;
  private static final int PARTITIONS = 3;

  @TempDir private static Path home;

  private static HiveOnYarn hive;

  private final MapReduceCluster cluster;

  HiveOnYarnTest(MapReduceCluster cluster) {
    this.cluster = cluster;
  }

  @BeforeAll
  static void start(MapReduceCluster cluster) throws Exception {
    hive = HiveOnYarn.start(cluster, home);
    create("numbers", "(a int, p int)");
    hive.execute(
        "insert into numbers select pos, pos % "
            + PARTITIONS
            + " from (select posexplode(split(space("
            + (ROWS - 1)
            + "), ' ')) as (pos, x)) rows_of_text");
    hive.execute("set zerorename.inline.max.bytes=0");
  }

  @AfterAll
  static void stop() throws Exception {
    hive.close();
  }

  private static void create(String table, String columns) throws Exception {
    hive.execute(
        "create external table %1$s %2$s stored as orc location 's3a://data/hive-on-yarn/%1$s'"
            .formatted(table, columns));
  }

  private static String overwrite(String table) {
    return "insert overwrite table "
        + table
        + " partition (p) select a, p from numbers distribute by p";
  }

  @Test
  void tasksInContainersCommitThroughTheJarThatHiveSendsThem() throws Exception {
    create("plain", "(a int) partitioned by (p int)");
    hive.execute("insert into plain partition (p) values (-1, 0), (-2, 7)");
    RequestCounts before = cluster.s3().gateway().counts();

    List<String> answer = hive.execute(overwrite("plain"));

    RequestCounts counts = cluster.s3().gateway().counts().minus(before);
    assertThat(HiveSessionProcess.ours(answer))
        .singleElement()
        .asString()
        .startsWith("zero-rename: committed INSERT OVERWRITE");
    assertThat(counts.copies()).isZero();
    assertThat(counts.of(RequestType.CREATE_MULTIPART_UPLOAD)).isEqualTo(PARTITIONS);
    assertThat(counts.of(RequestType.UPLOAD_PART)).isEqualTo(PARTITIONS);
    assertThat(counts.of(RequestType.COMPLETE_MULTIPART_UPLOAD)).isEqualTo(PARTITIONS);
    assertThat(hive.execute("select * from plain where p = 7")).contains("-2\t7");
    assertHoldsEachRowOnce("plain");
    assertThat(cluster.bucket().files("hive-on-yarn/plain/"))
        .hasSize(PARTITIONS + 1)
        .allMatch(key -> key.contains("/p="));
    assertThat(recordsOnHdfs()).containsExactly("zerorename-" + System.getProperty("user.name"));
  }

  /** Tez runs lost tasks again; if the AM is lost too, under the same ids, or Hive does. */
  @ParameterizedTest
  @ValueSource(strings = {"tasks", "all"})
  void eachRowIsThereOnceWhereProcessesDie(String dying) throws Exception {
    String table = "death_of_" + dying;
    create(table, "(a int) partitioned by (p int)");
    FutureTask<Void> kill =
        new FutureTask<>(
            () -> {
              // First, so that none begins another upload once Hive has looked for them.
              Processes.killTasks(hive.application());
              if (dying.equals("all")) {
                Processes.killMaster(hive.application());
              }
              return null;
            });
    cluster
        .s3()
        .gateway()
        .faults(
            new Kill(Kill.Side.BEFORE, RequestType.UPLOAD_PART, "hive-on-yarn/" + table, 1)
                .by(kill));

    List<String> answer = hive.execute(overwrite(table));

    kill.get();
    assertThat(HiveSessionProcess.ours(answer))
        .filteredOn(line -> line.startsWith("zero-rename: committed"))
        .hasSize(1);
    assertHoldsEachRowOnce(table);
    assertThat(cluster.bucket().pendingUploads("hive-on-yarn/" + table + "/")).isEmpty();
  }

  private static void assertHoldsEachRowOnce(String table) throws Exception {
    assertThat(
            hive.execute(
                "select count(*), count(distinct a), sum(a) from " + table + " where a >= 0"))
        .contains(ROWS + "\t" + ROWS + "\t" + ROWS * (ROWS - 1) / 2);
  }

  /** The committer's directories below Hive's scratch directory. */
  private List<String> recordsOnHdfs() throws Exception {
    return Stream.of(cluster.hdfs().listStatus(new org.apache.hadoop.fs.Path("/tmp/hive")))
        .map(directory -> directory.getPath().getName())
        .filter(name -> name.startsWith("zerorename"))
        .toList();
  }
}
