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
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

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

  /** The engines whose tasks run on YARN. */
  enum Engine {
    TEZ,
    MR;

    String table(String name) {
      return name + "_" + name().toLowerCase(Locale.ROOT);
    }

    private void use() throws Exception {
      hive.execute("set hive.execution.engine=" + name().toLowerCase(Locale.ROOT));
      hive.execute("set " + CoreKeys.INLINE_MAX_BYTES.name() + "=0");
      hive.execute("set " + CoreKeys.WORK_DIR.name() + "=" + SecureYarn.RECORDS);
    }
  }

  @ParameterizedTest
  @EnumSource
  void tasksUploadToTheBucketsOfAllTargets(Engine engine) throws Exception {
    engine.use();
    String one = engine.table("one");
    String other = engine.table("other");
    create(one, "s3a://data/" + one, PARTITIONED);
    create(other, "s3a://" + OTHER_BUCKET + "/" + other, PARTITIONED);

    List<String> answer =
        hive.execute(
            "from numbers insert overwrite table "
                + one
                + " partition (p) select a, p insert overwrite table "
                + other
                + " partition (p) select a, p");

    assertCommitted(answer, 2);
    for (String table : List.of(one, other)) {
      assertRows(table);
    }
    assertThat(yarn.bucket().pendingUploads("")).isEmpty();
    assertThat(otherBucket.pendingUploads("")).isEmpty();
  }

  /** Tez asks for its token because its own key names it, MapReduce because the committer does. */
  @ParameterizedTest
  @EnumSource
  void recordsAreOnAnotherFileSystem(Engine engine) throws Exception {
    engine.use();
    String records = cluster.otherHdfs() + SecureYarn.RECORDS;
    hive.execute("set " + CoreKeys.WORK_DIR.name() + "=" + records);
    String table = engine.table("recorded");

    create(table, "s3a://data/" + table, PARTITIONED);
    assertCommitted(
        hive.execute("insert overwrite table " + table + " partition (p) select a, p from numbers"),
        1);
    assertRows(table);

    assertThat(cluster.run("alice", "-ls", records)).contains("zerorename-alice");
    assertThat(otherBucket.files("commits/")).isNotEmpty();
    assertThat(yarn.bucket().pendingUploads("")).isEmpty();
  }

  private static Map<String, String> hadoop() {
    Map<String, String> settings = new HashMap<>(yarn.settings());
    settings.putAll(SecureYarn.TOKENS_OF_S3A);
    settings.put("tez.am.task.max.failed.attempts", "1");
    return settings;
  }

  private static void create(String table, String location, String columns) throws Exception {
    hive.execute(
        "create external table "
            + table
            + " "
            + columns
            + " stored as orc location '"
            + location
            + "'");
  }

  private static void assertRows(String table) throws Exception {
    assertThat(hive.execute("select * from " + table)).contains("1\t1", "2\t2", "3\t1");
  }

  private static void assertCommitted(List<String> answer, int times) {
    assertThat(HiveSessionProcess.ours(answer))
        .filteredOn(line -> line.startsWith("zero-rename: committed INSERT OVERWRITE"))
        .hasSize(times);
  }
}
