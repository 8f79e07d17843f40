package io.zerorename.install;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.testing.hive.HiveSessionProcess;
import io.zerorename.testing.install.Cluster;
import io.zerorename.testing.s3server.BucketContents;
import io.zerorename.testing.s3server.EmbeddedS3Server;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What a new user does, with the distribution and nothing else of ours: unpack, copy the example,
 * start Hive with the jar in its aux path, INSERT, look at it with the commands, switch it off.
 */
@Tag("thorough")
class InstallTest {
  private static final String BUCKET = "sales";

  @TempDir private static Path home;

  private static EmbeddedS3Server server;
  private static BucketContents bucket;
  private static Installation installation;
  private static HiveSessionProcess hive;

  private long copiesBefore;

  @BeforeAll
  static void install() throws Exception {
    server = EmbeddedS3Server.start();
    bucket = server.createBucket(BUCKET);
    installation = Installation.in(home, server);
    hive = installation.startHive();
    // The shortest statement, through which the committer is used for the first time.
    hive.execute("create table t (a int) stored as orc location 's3a://" + BUCKET + "/t'");
    hive.execute("insert into t values (1)");
  }

  @AfterAll
  static void stop() throws IOException {
    hive.close();
    server.close();
  }

  @BeforeEach
  void count() {
    copiesBefore = server.gateway().counts().copies();
  }

  @Test
  void insertSaysInOneLineThatItWasCommitted() throws Exception {
    assertThat(linesOfOurs("insert into t values (2)"))
        .singleElement()
        .asString()
        .startsWith("zero-rename: committed")
        .contains("default.t: 1 files,");
    assertThat(hive.execute("select count(*) > 1 from t")).contains("true");
    assertThat(copies()).isZero();
    assertThat(bucket.pendingUploads("")).isEmpty();
  }

  @Test
  void logNamesTheVersionOnce() throws Exception {
    hive.execute("insert into t values (3)");
    assertThat(Files.readAllLines(hive.log()))
        .filteredOn(line -> line.contains("zero-rename committer "))
        .singleElement()
        .asString()
        .endsWith(": " + jarName().replace("zero-rename-committer-", "zero-rename committer "));
  }

  /** As its first statement: Hive has no session without the classes of hooks that it names. */
  @Test
  void jarMayBeAddedByTheSessionInsteadOfTheAuxPath() throws Exception {
    String location = "s3a://" + BUCKET + "/added";
    try (HiveSessionProcess session = installation.startHiveWithoutJar()) {
      List<String> answers = new ArrayList<>();
      for (String statement :
          List.of(
              "add jar " + installation.jar(),
              "create table added (a int) stored as orc location '" + location + "'",
              "insert into added values (1), (2)",
              "insert overwrite table added select a + 1 from added",
              "select * from added")) {
        answers.addAll(session.execute(statement));
      }
      assertThat(HiveSessionProcess.ours(answers))
          .hasSize(2)
          .allMatch(line -> line.startsWith("zero-rename: committed"));
      assertThat(answers).endsWith("2", "3");
    }
    assertThat(copies()).isZero();
    assertThat(bucket.pendingUploads("")).isEmpty();
  }

  @Test
  void commandRunsFromTheDistribution() throws Exception {
    Cluster.Outcome outcome = installation.zerorename("doctor", "s3a://" + BUCKET + "/t");
    assertThat(outcome.text()).contains("both hooks are set");
    assertThat(outcome.exitCode()).as(outcome.text()).isZero();
  }

  private long copies() {
    return server.gateway().counts().copies() - copiesBefore;
  }

  private static String jarName() {
    return installation.jar().getFileName().toString().replace(".jar", "");
  }

  private static List<String> linesOfOurs(String sql) throws IOException, InterruptedException {
    return HiveSessionProcess.ours(hive.execute(sql));
  }
}
