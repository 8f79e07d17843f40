package io.zerorename.testing.mapreduce;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.core.config.CoreKeys;
import io.zerorename.testing.process.ChildJvm;
import io.zerorename.testing.s3server.BucketContents;
import io.zerorename.testing.s3server.EmbeddedS3Server;
import io.zerorename.testing.secure.SecureCluster;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Jobs of a user on YARN and HDFS with Kerberos. Their processes have no ticket: what they reach,
 * they reach by the delegation tokens that were fetched when the job was submitted.
 */
@Tag("thorough")
class SecureJobsTest {
  private static final Duration LIMIT = Duration.ofMinutes(5);
  private static final List<String> LINES = List.of("1\tone", "2\ttwo", "3\tthree");

  /** As S3A's provider calls them, and as its binding of tokens does. */
  private static final Map<String, String> KEYS =
      Map.of(
          "AWS_ACCESS_KEY_ID", EmbeddedS3Server.ACCESS_KEY,
          "AWS_SECRET_ACCESS_KEY", EmbeddedS3Server.SECRET_KEY,
          "AWS_ACCESS_KEY", EmbeddedS3Server.ACCESS_KEY,
          "AWS_SECRET_KEY", EmbeddedS3Server.SECRET_KEY);

  @TempDir private static Path home;

  private static SecureYarn yarn;
  private static SecureCluster cluster;
  private static BucketContents bucket;
  private static int jobs;

  @BeforeAll
  static void start() throws Exception {
    yarn = SecureYarn.start(home);
    cluster = yarn.cluster();
    bucket = yarn.bucket();
    Path input = home.resolve("input");
    Files.write(input, LINES);
    cluster.run("alice", "-put", input.toString(), "/user/alice/input");
  }

  @AfterAll
  static void stop() throws IOException {
    yarn.close();
  }

  /** The client has the keys of S3; the configuration, and so the containers, have not. */
  @Test
  void tasksWithoutKeysCommitByTheDelegationTokensOfS3aAndHdfs() throws Exception {
    Configuration conf = conf();
    conf.set(CoreKeys.WORK_DIR.name(), SecureYarn.RECORDS);

    List<String> result = run(conf, "tokens");

    assertThat(result)
        .contains("succeeded true")
        .anyMatch(line -> line.startsWith("token HDFS_DELEGATION_TOKEN of "))
        .anyMatch(line -> line.startsWith("token S3ADelegationToken/Full of s3a://data"));
    assertCommitted("tokens");
    assertThat(yarn.s3().gateway().counts().copies()).isZero();
    String own = SecureYarn.RECORDS + "/zerorename-alice";
    assertThat(cluster.run("alice", "-ls", "-d", own)).matches("drwx------ +- alice .*");
    cluster.assertRefused("bob", own);
  }

  /** No part of Hadoop fetches a token for these by itself. */
  @Test
  void recordsAndACommitDirectoryElsewhereNeedTheirTokensToBeAskedFor() throws Exception {
    BucketContents other = yarn.s3().createBucket("commits");
    Configuration conf = conf();
    String records = cluster.otherHdfs() + SecureYarn.RECORDS;
    conf.set(CoreKeys.WORK_DIR.name(), records);
    conf.set(CoreKeys.COMMIT_DIR.name(), "s3a://commits/zerorename");

    assertThat(run(conf, "without")).contains("succeeded false");
    assertThat(bucket.files("without/")).isEmpty();
    assertThat(bucket.pendingUploads("without/")).isEmpty();

    conf.set("mapreduce.job.hdfs-servers", cluster.otherHdfs() + ",s3a://commits");
    List<String> with = run(conf, "with");

    assertThat(with)
        .contains("succeeded true")
        .anyMatch(line -> line.startsWith("token S3ADelegationToken/Full of s3a://commits"));
    assertThat(with.stream().filter(line -> line.startsWith("token HDFS_"))).hasSize(2);
    assertCommitted("with");
    assertThat(cluster.run("alice", "-ls", records)).contains("zerorename-alice");
    assertThat(other.files("zerorename/")).isNotEmpty();
  }

  private static Configuration conf() {
    Configuration conf = new Configuration(false);
    yarn.settings().forEach(conf::set);
    SecureYarn.TOKENS_OF_S3A.forEach(conf::set);
    conf.set("mapreduce.am.max-attempts", "1");
    return Committer.ZERO_RENAME.in(conf);
  }

  private static List<String> run(Configuration conf, String output) throws Exception {
    Path file = home.resolve("job-" + ++jobs + ".xml");
    try (OutputStream out = Files.newOutputStream(file)) {
      conf.writeXml(out);
    }
    assertThat(Files.readString(file)).doesNotContain(EmbeddedS3Server.SECRET_KEY);
    try (ChildJvm client =
        ChildJvm.start(
            ChildJvm.Command.of(SecureJobMain.class)
                .withOptions(List.of("-Xmx512m", cluster.javaOption()))
                .withModulesOpen()
                .withEnvironment(KEYS)
                .withArguments(
                    List.of(
                        SecureCluster.principal("alice"),
                        cluster.keytab("alice").toString(),
                        file.toUri().toString(),
                        "/user/alice/input",
                        "s3a://" + MapReduceCluster.BUCKET + "/" + output)),
            home.resolve("client.log"))) {
      client.awaitEnd(LIMIT);
      assertThat(client.output())
          .as(client.lastOutput())
          .anyMatch(it -> it.startsWith("succeeded"));
      return client.output();
    }
  }

  private static void assertCommitted(String output) {
    assertThat(
            bucket.files(output + "/").stream()
                .filter(key -> key.contains("/part-"))
                .flatMap(key -> new String(bucket.read(key), UTF_8).lines())
                .toList())
        .isEqualTo(LINES);
    assertThat(new String(bucket.read(output + "/_SUCCESS"), UTF_8))
        .contains("\"committer\" : \"zerorename\"");
    assertThat(bucket.pendingUploads(output + "/")).isEmpty();
  }
}
