package io.zerorename.hiveserver2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import io.zerorename.testing.process.Await;
import io.zerorename.testing.process.ChildJvm;
import io.zerorename.testing.s3server.BucketContents;
import io.zerorename.testing.s3server.EmbeddedS3Server;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.hive.metastore.tools.schematool.MetastoreSchemaTool;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * INSERTs where the metastore's tables are in a PostgreSQL and were made by Hive's schematool, with
 * Hive's lock manager, as in production. Left out where the machine has no PostgreSQL.
 */
@Tag("thorough")
class PostgresMetastoreTest {
  @TempDir private static Path home;

  private static PostgresServer postgres;
  private static String database;
  private static EmbeddedS3Server server;
  private static BucketContents bucket;
  private static HiveServer2Process hive;
  private static Twins twins;

  @BeforeAll
  static void start() throws Exception {
    Optional<Path> programs = PostgresServer.programs();
    if (programs.isEmpty()) {
      String reason =
          "A metastore in PostgreSQL is NOT TESTED: initdb and postgres are neither in the path"
              + " nor in /usr/lib/postgresql/*/bin";
      System.out.println(reason);
      abort(reason);
    }
    postgres = PostgresServer.start(programs.orElseThrow());
    database = postgres.createDatabase("metastore");
    server = EmbeddedS3Server.start();
    bucket = server.createBucket(HiveServer2OnS3.BUCKET);
    Installation installation = Installation.in(home);
    Map<String, String> settings = settings();
    installation.configure(server, server.gateway(), settings);
    createSchema(installation);
    hive = HiveServer2Process.start(installation, server, settings);
    twins = Twins.open(hive, bucket);
  }

  private static Map<String, String> settings() {
    Map<String, String> settings = new HashMap<>();
    settings.put("javax.jdo.option.ConnectionURL", database);
    settings.put("javax.jdo.option.ConnectionDriverName", "org.postgresql.Driver");
    settings.put("javax.jdo.option.ConnectionUserName", PostgresServer.USER);
    settings.put("javax.jdo.option.ConnectionPassword", "");
    settings.put("datanucleus.schema.autoCreateAll", "false");
    settings.put("hive.metastore.schema.verification", "true");
    settings.put("hive.support.concurrency", "true");
    settings.put("hive.txn.manager", "org.apache.hadoop.hive.ql.lockmgr.DbTxnManager");
    return settings;
  }

  /** {@code schematool -dbType postgres -initSchema}. */
  private static void createSchema(Installation installation)
      throws IOException, InterruptedException {
    String metastore = System.getProperty("hive.metastore.home");
    Path log = home.resolve("schematool.log");
    try (ChildJvm tool =
        ChildJvm.start(
            ChildJvm.Command.of(MetastoreSchemaTool.class)
                .withModulesOpen()
                .withEnvironment(Map.of("METASTORE_HOME", metastore))
                .withArguments(List.of("-dbType", "postgres", "-initSchema"))
                .withClassPath(
                    installation.classPath() + File.pathSeparator + metastore + "/lib/*"),
            log)) {
      tool.awaitEnd(Await.LIMIT);
      assertThat(tool.output()).as(tool.lastOutput()).contains("Initialization script completed");
    }
  }

  @AfterAll
  static void stop() throws IOException {
    if (postgres != null) {
      twins.close();
      hive.close();
      server.close();
      postgres.close();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"union-dynamic orc", "ctas-partitioned parquet"})
  void endsAsOnHivesOwnPath(String cell) throws Exception {
    twins.run(cell);
  }

  /** A statement that writes new partitions, and one that replaces each of them. */
  @Test
  void tenThousandPartitionsInOneStatement() throws Exception {
    try (Session session = hive.open()) {
      for (String limit :
          List.of("hive.exec.max.dynamic.partitions", "hive.exec.max.dynamic.partitions.pernode")) {
        session.execute("set " + limit + "=10000");
      }
      session.execute("set hive.exec.dynamic.partition.mode=nonstrict");
      // One file open at a time, in place of one for each partition.
      session.execute("set hive.optimize.sort.dynamic.partition.threshold=1");
      session.execute(
          "create external table many (a int) partitioned by (p int) location 's3a://"
              + HiveServer2OnS3.BUCKET
              + "/many'");
      for (String insert : List.of("insert into many", "insert overwrite table many")) {
        assertThat(
                session.linesOfOurs(
                    insert
                        + " partition (p) select number, number from (select split(space(9999),"
                        + " ' ') as words) one lateral view posexplode(words) numbers as number,"
                        + " word"))
            .last()
            .asString()
            .contains("zero-rename: committed ", " 10000 files");
        // A query of all would run 10,000 tasks.
        assertThat(session.sortedRows("select a, p from many where p in (0, 4711, 9999)"))
            .containsExactly("0\t0", "4711\t4711", "9999\t9999");
        assertThat(session.rows("show partitions many")).hasSize(10_000);
        assertThat(bucket.files("many/"))
            .hasSize(10_000)
            .extracting(key -> key.split("/", -1)[1])
            .doesNotHaveDuplicates();
        assertThat(bucket.pendingUploads("")).isEmpty();
      }
    }
  }

  /** Else all of the above would say nothing of PostgreSQL. */
  @Test
  void tablesAreInPostgresql() throws SQLException {
    try (Connection connection = DriverManager.getConnection(database, PostgresServer.USER, "");
        ResultSet names =
            connection.createStatement().executeQuery("select \"TBL_NAME\" from \"TBLS\"")) {
      assertThat(Session.rows(names)).contains("few");
    }
  }
}
