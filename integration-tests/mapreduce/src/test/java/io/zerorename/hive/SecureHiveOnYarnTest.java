package io.zerorename.hive;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.core.config.CoreKeys;
import io.zerorename.testing.hive.HiveSessionProcess;
import io.zerorename.testing.mapreduce.SecureYarn;
import io.zerorename.testing.s3server.BucketContents;
import io.zerorename.testing.s3server.EmbeddedS3Server;
import io.zerorename.testing.secure.SecureCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * INSERTs of a Hive of one user on YARN and HDFS with Kerberos. Its tasks have neither a ticket nor
 * keys of S3: what they reach, they reach by the delegation tokens that were fetched for them.
 *
 * <p>There are no reducers, which need Hadoop's native library with Kerberos.
 */
@Tag("thorough")
class SecureHiveOnYarnTest {
  private static final String OTHER_BUCKET = "other";
  private static final String PARTITIONED = "(a int) partitioned by (p int)";

  @TempDir private static Path home;

  private static SecureYarn yarn;
  private static SecureCluster cluster;
  private static BucketContents otherBucket;
  private static HiveSessionProcess hive;

  @BeforeAll
  static void start() throws Exception {
    yarn = SecureYarn.start(home);
    cluster = yarn.cluster();
    otherBucket = yarn.s3().createBucket(OTHER_BUCKET);
    hive =
        HiveOnYarn.session(
            Files.createDirectory(home.resolve("hive")),
            hadoop(),
            Map.of(
                "hive.metastore.warehouse.dir",
                "/tmp/warehouse/managed",
                "hive.metastore.warehouse.external.dir",
                "/tmp/warehouse/external",
                "tez.job.fs-servers",
                cluster.otherHdfs(),
                // No task reaches it.
                CoreKeys.COMMIT_DIR.name(),
                "s3a://" + OTHER_BUCKET + "/commits",
                "hive.stats.column.autogather",
                "false",
                "hive.merge.mapfiles",
                "false",
                "hive.optimize.sort.dynamic.partition.threshold",
                "-1"),
            cluster.javaOption(),
            Map.of(
                "KRB5PRINCIPAL",
                SecureCluster.principal("alice"),
                "KRB5KEYTAB",
                cluster.keytab("alice").toString(),
                "AWS_ACCESS_KEY",
                EmbeddedS3Server.ACCESS_KEY,
                "AWS_SECRET_KEY",
                EmbeddedS3Server.SECRET_KEY));
    create("numbers", cluster.hdfs() + "/tmp/numbers", "(a int, p int)");
    hive.execute("insert into numbers values (1, 1), (2, 2), (3, 1)");
  }

  @AfterAll
  static void stop() throws IOException {
    hive.close();
    yarn.close();
  }

  /**
   * Tez asks for the token of the records' file system because its own key names it, MapReduce
   * because the committer does.
   */
  @ParameterizedTest
  @ValueSource(strings = {"tez", "mr"})
  void tasksUploadToTheBucketsOfAllTargetsWithRecordsOnAnotherFileSystem(String engine)
      throws Exception {
    String records = cluster.otherHdfs() + SecureYarn.RECORDS;
    hive.execute("set hive.execution.engine=" + engine);
    hive.execute("set " + CoreKeys.INLINE_MAX_BYTES.name() + "=0");
    hive.execute("set " + CoreKeys.WORK_DIR.name() + "=" + records);
    String one = "one_" + engine;
    String other = "other_" + engine;
    create(one, "s3a://data/" + one, PARTITIONED);
    create(other, "s3a://" + OTHER_BUCKET + "/" + other, PARTITIONED);

    List<String> answer =
        hive.execute(
            """
            from numbers insert overwrite table %s partition (p) select a, p
            insert overwrite table %s partition (p) select a, p"""
                .formatted(one, other)
                .replace('\n', ' '));

    assertThat(HiveSessionProcess.ours(answer))
        .filteredOn(line -> line.startsWith("zero-rename: committed INSERT OVERWRITE"))
        .hasSize(2);
    for (String table : List.of(one, other)) {
      assertThat(hive.execute("select * from " + table)).contains("1\t1", "2\t2", "3\t1");
    }
    assertThat(cluster.run("alice", "-ls", records)).contains("zerorename-alice");
    assertThat(otherBucket.files("commits/")).isNotEmpty();
    assertThat(yarn.bucket().pendingUploads("")).isEmpty();
    assertThat(otherBucket.pendingUploads("")).isEmpty();
  }

  private static Map<String, String> hadoop() {
    Map<String, String> settings = new HashMap<>(yarn.settings());
    settings.putAll(SecureYarn.TOKENS_OF_S3A);
    settings.put("tez.am.task.max.failed.attempts", "1");
    return settings;
  }

  private static void create(String table, String location, String columns) throws Exception {
    hive.execute(
        "create external table %s %s stored as orc location '%s'"
            .formatted(table, columns, location));
  }
}
