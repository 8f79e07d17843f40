package io.zerorename.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.zerorename.cli.CommandLineRun;
import io.zerorename.testing.docs.SourceTree;
import io.zerorename.testing.s3server.BucketContents;
import io.zerorename.testing.s3server.EmbeddedS3Server;
import io.zerorename.testing.s3server.Fault;
import io.zerorename.testing.s3server.FaultRule;
import io.zerorename.testing.s3server.RequestType;
import java.io.IOException;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The command against a real S3 server, as an operator calls it. */
class DoctorCommandTest {
  private static final Path EXAMPLES = SourceTree.root().resolve("conf-examples");
  private static EmbeddedS3Server server;
  private static BucketContents bucket;

  @BeforeAll
  static void start() throws IOException {
    server = EmbeddedS3Server.start();
    bucket = server.createBucket("doctor");
  }

  @AfterAll
  static void stop() throws IOException {
    server.close();
  }

  @AfterEach
  void nothingIsLeft() {
    server.gateway().faults(FaultRule.NONE);
    assertThat(bucket.objects("")).isEmpty();
    assertThat(bucket.pendingUploads("")).isEmpty();
  }

  @Test
  void nothingIsWrongWithAServerThatCanEverything() {
    CommandLineRun run = run("--conf-dir", EXAMPLES.toString(), "s3a://doctor/warehouse/t");
    assertThat(run.exitCode()).as(run.out() + run.err()).isZero();
    assertThat(run.out())
        .containsPattern("(?m)^ok +s3:PutObject +allowed$")
        .containsPattern("(?m)^ok +conditional-writes ")
        .containsPattern("(?m)^ok +put-deadlines ")
        .containsPattern("(?m)^warning +lifecycle-rule ")
        .containsPattern("(?m)^\\d+ ok, \\d+ warning, 0 WRONG, \\d+ not checked$")
        .containsPattern("(?m)^Hive: READY")
        .containsPattern("(?m)^MapReduce: READY")
        .containsPattern("(?m)^Tez: READY");
  }

  @Test
  void eachEngineHasAVerdict() throws IOException {
    CommandLineRun run =
        run(
            "--conf-dir",
            EXAMPLES.toString(),
            "-D",
            "hive.execution.engine=spark",
            "-D",
            "hive.repl.cm.enabled=true",
            "--json");
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.json().path("verdicts").path("hive").asText()).isEqualTo("NOT READY, 1 problem");
    assertThat(run.json().path("verdicts").path("mapreduce").asText()).startsWith("READY");

    CommandLineRun all =
        run("--conf-dir", EXAMPLES.toString(), "-D", "fs.s3a.multipart.purge=true");
    assertThat(all.out().lines())
        .contains("MapReduce: NOT READY, 1 problem", "Tez: NOT READY, 1 problem");
  }

  @ParameterizedTest
  @CsvSource({
    "LIST_OBJECTS_V2, s3:ListBucket, arn:aws:s3:::doctor",
    "GET_OBJECT, s3:GetObject, arn:aws:s3:::doctor/warehouse/_zerorename/*",
    "UPLOAD_PART, s3:PutObject, arn:aws:s3:::doctor/warehouse/t/*",
    "ABORT_MULTIPART_UPLOAD, s3:AbortMultipartUpload, arn:aws:s3:::doctor/warehouse/t/*",
  })
  void actionThatTheServerDeniesIsToBeGranted(RequestType denied, String action, String resource) {
    server.gateway().faults(FaultRule.always(FaultRule.type(denied), Fault.accessDenied()));
    CommandLineRun run = run("s3a://doctor/warehouse/t");
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.out()).contains("-> grant " + action + " on " + resource);
  }

  @Test
  void jsonSaysTheSame() throws IOException {
    CommandLineRun run =
        run(
            "--json",
            "--read-only",
            "-D",
            "fs.s3a.multipart.purge=true",
            "s3a://doctor/warehouse/t");
    JsonNode document = run.json();
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(document.path("exitCode").asInt()).isEqualTo(1);
    assertThat(document.path("path").asText()).isEqualTo("s3a://doctor/warehouse/t");
    assertThat(document.path("summary").path("wrong").asInt()).isEqualTo(1);
    assertThat(document.path("checks"))
        .anySatisfy(
            check -> {
              assertThat(check.path("name").asText()).isEqualTo("upload-purge");
              assertThat(check.path("outcome").asText()).isEqualTo("wrong");
              assertThat(check.path("remedies").path(0).path("property").asText())
                  .isEqualTo("fs.s3a.multipart.purge");
              assertThat(check.path("remedies").path(0).path("value").asText()).isEqualTo("false");
            });
  }

  @Test
  void bucketThatDoesNotExistIsOneLine() {
    CommandLineRun run = run("s3a://no-such-bucket/t");
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.out().lines().filter(line -> line.startsWith("WRONG")))
        .singleElement()
        .asString()
        .contains("no-such-bucket");
  }

  @Test
  void credentialsThatAreWrongAreNotTakenForMissingPermissions() {
    CommandLineRun run = run("-D", "fs.s3a.secret.key=another", "s3a://doctor/t");
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.out()).contains("SignatureDoesNotMatch").doesNotContain("-> grant");
  }

  @Test
  void pathThatIsNotOnS3IsRefused() {
    CommandLineRun run = run("hdfs://nn/warehouse");
    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.errorLines())
        .singleElement()
        .asString()
        .contains("hdfs://nn/warehouse is not on S3A");
  }

  @ParameterizedTest
  @ValueSource(strings = {"s3a://doctor", "s3a://doctor/"})
  void rootOfABucketIsRefusedAsForAJob(String path) {
    var before = server.gateway().counts();
    CommandLineRun run = run(path);
    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.errorLines()).singleElement().asString().contains("is the root of a bucket");
    assertThat(server.gateway().counts().minus(before).total()).isZero();
  }

  @Test
  void withoutAPathNoRequestIsSent() {
    var before = server.gateway().counts();
    CommandLineRun run = run();
    assertThat(run.exitCode()).as("no engine is ready: " + run.out()).isEqualTo(1);
    assertThat(server.gateway().counts().minus(before).total()).isZero();
    assertThat(run.out().lines())
        .filteredOn(line -> line.startsWith("Hive: NOT CHECKED, there is no hive-site.xml"))
        .hasSize(1);
    assertThat(run.out()).contains("hadoop-version").doesNotContain("s3:PutObject");
    assertThat(run.out().lines())
        .as("what is not there is told once")
        .filteredOn(line -> line.startsWith("not checked") && line.contains("no hive-site.xml"))
        .hasSize(1);
    assertThat(run.out()).containsPattern("(?m)^not checked +hive-jar \\.\\. hive-scratch ");
  }

  private static CommandLineRun run(String... arguments) {
    Configuration conf = new Configuration();
    server.hadoopSettings().forEach(conf::set);
    return CommandLineRun.of(
        conf, Stream.concat(Stream.of("doctor"), Stream.of(arguments)).toArray(String[]::new));
  }
}
