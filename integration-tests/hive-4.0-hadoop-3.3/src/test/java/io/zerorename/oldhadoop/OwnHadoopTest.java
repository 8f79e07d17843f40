package io.zerorename.oldhadoop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.testing.hive.HiveSessionProcess;
import io.zerorename.testing.install.Cluster;
import io.zerorename.testing.s3server.BucketContents;
import io.zerorename.testing.s3server.EmbeddedS3Server;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Hive 4.0.1 with the Hadoop 3.3.6 that it ships with, in a process of its own. */
class OwnHadoopTest {
  private static final String LINE =
      "zero-rename: ZR-5025: default.%s is written by Hive's own rename path: HADOOP_VERSION, the"
          + " committer needs Hadoop 3.4.1 or later, whose S3A brings the AWS SDK in version 2; Hive"
          + " 4.0 ships with Hadoop 3.3 (this is Hadoop 3.3.6)";

  @TempDir(cleanup = org.junit.jupiter.api.io.CleanupMode.NEVER)
  static Path home;

  private static EmbeddedS3Server server;
  private static BucketContents bucket;
  private static HiveSessionProcess hive;

  @BeforeAll
  static void start() throws Exception {
    server = EmbeddedS3Server.start();
    bucket = server.createBucket("old");
    Cluster cluster = Cluster.in(home);
    Map<String, String> s3 = new HashMap<>(server.hadoopSettingsWithoutSecrets());
    s3.put(
        "fs.s3a.aws.credentials.provider",
        "com.amazonaws.auth.EnvironmentVariableCredentialsProvider");
    cluster.configureHadoop(s3);
    Map<String, String> settings = new HashMap<>(HiveSessionProcess.settings(cluster));
    settings.put("hive.aux.jars.path", cluster.jar().toUri().toString());
    cluster.configure("hive-site.xml", Cluster.merged(cluster.example("hive-site.xml"), settings));
    hive =
        HiveSessionProcess.start(
            cluster,
            "hive",
            HiveSessionProcess.command()
                .withOptions(List.of("-Xmx1g"))
                .withModulesOpen()
                .withClassPath(cluster.classPath(withoutNewSdk())));
  }

  /** Of the AWS SDK, Hive gets the version 1 of its Hadoop. The server's client needs the other. */
  private static String withoutNewSdk() {
    String all =
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    return Arrays.stream(all.split(File.pathSeparator))
        .filter(entry -> !entry.contains("awssdk"))
        .collect(Collectors.joining(File.pathSeparator));
  }

  @AfterAll
  static void stop() throws IOException {
    if (hive != null) {
      hive.close();
    }
    if (server != null) {
      server.close();
    }
  }

  @Test
  void insertSucceedsOnHivesOwnPathAndSaysWhatIsNeeded() throws Exception {
    hive.execute(
        "CREATE EXTERNAL TABLE t (a INT, b STRING) STORED AS ORC LOCATION 's3a://old/db/t'");

    List<String> into = hive.execute("INSERT INTO t VALUES (1, 'one'), (2, 'two')");
    assertThat(HiveSessionProcess.ours(into)).containsExactly(LINE.formatted("t"));
    assertThat(rows("t")).containsExactly("1\tone", "2\ttwo");

    List<String> overwrite = hive.execute("INSERT OVERWRITE TABLE t SELECT 3, 'three'");
    assertThat(HiveSessionProcess.ours(overwrite)).containsExactly(LINE.formatted("t"));
    assertThat(rows("t")).containsExactly("3\tthree");
    assertThat(bucket.files("")).as("no record of a commit").allMatch(it -> it.startsWith("db/t/"));
  }

  /** Their place in the commit log cannot be kept, and no job here has commits. */
  @Test
  void otherStatementsRunAsWithoutTheCommitter() throws Exception {
    hive.execute(
        "CREATE EXTERNAL TABLE p (a INT, b STRING) PARTITIONED BY (d INT) STORED AS PARQUET"
            + " LOCATION 's3a://old/db/p' TBLPROPERTIES ('external.table.purge'='true')");
    List<String> dynamic =
        hive.execute("INSERT INTO p PARTITION (d) VALUES (1, 'one', 1), (2, 'two', 2)");
    assertThat(HiveSessionProcess.ours(dynamic)).containsExactly(LINE.formatted("p"));
    List<String> others = new ArrayList<>(hive.execute("ALTER TABLE p DROP PARTITION (d=2)"));
    assertThat(rows("p")).containsExactly("1\tone\t1");
    others.addAll(hive.execute("TRUNCATE TABLE p"));
    assertThat(rows("p")).isEmpty();
    others.addAll(hive.execute("DROP TABLE p"));
    others.addAll(hive.execute("CREATE TABLE l (a INT, b STRING) STORED AS ORC"));
    others.addAll(hive.execute("INSERT INTO l VALUES (1, 'one')"));
    assertThat(rows("l")).containsExactly("1\tone");
    assertThat(HiveSessionProcess.ours(others)).isEmpty();
  }

  @Test
  void insertFailsWhereItMustNotFallBack() throws Exception {
    hive.execute(
        "CREATE EXTERNAL TABLE f (a INT, b STRING) STORED AS ORC LOCATION 's3a://old/db/f'");
    hive.execute("SET zerorename.hive.fallback=fail");
    try {
      assertThatThrownBy(() -> hive.execute("INSERT INTO f VALUES (1, 'one')"))
          .hasMessageContaining("ZR-5025: default.f was not written, because")
          .hasMessageContaining("(this is Hadoop 3.3.6)");
    } finally {
      hive.execute("SET zerorename.hive.fallback=rename");
    }
    assertThat(rows("f")).isEmpty();
  }

  private static List<String> rows(String table) throws Exception {
    return hive.execute("SELECT * FROM " + table + " ORDER BY a").stream()
        .filter(line -> line.contains("\t"))
        .toList();
  }
}
