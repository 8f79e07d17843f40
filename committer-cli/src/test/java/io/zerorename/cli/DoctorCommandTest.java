package io.zerorename.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.zerorename.testing.docs.SourceTree;
import io.zerorename.testing.s3server.BucketContents;
import io.zerorename.testing.s3server.EmbeddedS3Server;
import io.zerorename.testing.s3server.Fault;
import io.zerorename.testing.s3server.FaultRule;
import io.zerorename.testing.s3server.RequestType;
import io.zerorename.testing.s3server.S3Request;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The command against a real S3 server, as an operator calls it. */
class DoctorCommandTest {
  private static final Path EXAMPLES = SourceTree.root().resolve("conf-examples");
  private static EmbeddedS3Server server;
  private static BucketContents bucket;

  @BeforeAll
  static void start() throws IOException {
    server = EmbeddedS3Server.start();
    bucket = server.createBucket("doctor");
    server.createBucket("logs");
  }

  @AfterAll
  static void stop() throws IOException {
    server.close();
  }

  @AfterEach
  void nothingIsLeft() {
    server.gateway().faults(FaultRule.NONE);
    server.gateway().serverName(Optional.empty());
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
        .containsPattern("(?m)^ok +conditional-completes ")
        .containsPattern("(?m)^ok +abort-beside-complete ")
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
    JsonNode check = run.json().path("checks").path("hive-engine");
    assertThat(check.path("outcome").asText()).isEqualTo("wrong");
    assertThat(check.path("remedies").path(0).asText()).startsWith("set hive.execution.engine=");
  }

  /** A server that checks the condition before it writes, and not with it. */
  @Test
  void ofTwoConditionalWritesAtOnceOneMustBeRefused() {
    Map<String, Integer> puts = new ConcurrentHashMap<>();
    server
        .gateway()
        .faults(
            on(
                RequestType.PUT_OBJECT,
                "-condition-",
                key -> {
                  if (puts.merge(key, 1, Integer::sum) == 2) {
                    while (bucket.objects(key).isEmpty()) {
                      Thread.onSpinWait();
                    }
                    delete(key);
                  }
                }));
    assertWrong(
        run("s3a://doctor/warehouse/t"),
        "conditional-writes",
        "of two writes of one object with If-None-Match at the same moment both succeed",
        "set zerorename.commit.dir=<a directory of a store that can> in core-site.xml");
  }

  @Test
  void withoutConditionalCompletesOnlyCheckpointsFail() {
    server
        .gateway()
        .faults(
            on(RequestType.COMPLETE_MULTIPART_UPLOAD, "-condition-", DoctorCommandTest::delete));
    CommandLineRun run = run("--conf-dir", EXAMPLES.toString(), "s3a://doctor/warehouse/t");
    assertThat(run.exitCode()).as(run.out()).isZero();
    assertThat(line(run, "conditional-completes"))
        .startsWith("warning ")
        .contains("commits do not need it, but Spark's checkpoints fail");
  }

  @Test
  void fileThatAnAbortRemovesFromBehindACompleteIsWrong() {
    server
        .gateway()
        .faults(
            FaultRule.always(
                    those(RequestType.GET_OBJECT, "-abort-"), Fault.refuse(404, "NoSuchKey"))
                // So that the Complete wins.
                .or(
                    FaultRule.always(
                        those(RequestType.ABORT_MULTIPART_UPLOAD, "-abort-"),
                        Fault.delay(Duration.ofMillis(200)))));
    assertWrong(
        run("s3a://doctor/warehouse/t"),
        "abort-beside-complete",
        "a CompleteMultipartUpload is answered with success and the file is lost");
  }

  @Test
  void fileThatAppearsAfterItsCompleteWasRefusedIsWrong() {
    server.gateway().faults(refusedAndWrittenAt(RequestType.GET_OBJECT));
    assertWrong(
        run("s3a://doctor/warehouse/t"),
        "abort-beside-complete",
        "a CompleteMultipartUpload is refused, and the file appears afterwards");
  }

  /** A client repeats a request whose answer was lost. */
  @Test
  void completeThatIsRefusedAfterItsOwnSuccessIsTrue() {
    server.gateway().faults(refusedAndWrittenAt(RequestType.COMPLETE_MULTIPART_UPLOAD));
    CommandLineRun run = run("s3a://doctor/warehouse/t");
    assertThat(line(run, "abort-beside-complete")).startsWith("ok ");
  }

  private static FaultRule refusedAndWrittenAt(RequestType when) {
    return on(when, "-abort-", key -> bucket.write(key, "zerorename doctor".getBytes(UTF_8)))
        .or(
            FaultRule.always(
                those(RequestType.COMPLETE_MULTIPART_UPLOAD, "-abort-"),
                Fault.refuse(404, "NoSuchUpload")));
  }

  private static void delete(String key) {
    server.backendClient().deleteObject(request -> request.bucket(bucket.bucket()).key(key));
  }

  /** Does something before a request whose key contains a text goes on to the server. */
  private static FaultRule on(RequestType type, String keyPart, Consumer<String> before) {
    return request -> {
      if (those(type, keyPart).test(request)) {
        before.accept(request.key());
      }
      return Optional.empty();
    };
  }

  private static Predicate<S3Request> those(RequestType type, String keyPart) {
    return request -> request.type() == type && request.key().contains(keyPart);
  }

  private static void assertWrong(
      CommandLineRun run, String check, String text, String... remedies) {
    assertThat(run.exitCode()).as(run.out()).isEqualTo(1);
    assertThat(line(run, check)).startsWith("WRONG ").contains(text);
    assertThat(run.out().lines().filter(it -> it.startsWith("               -> set zerorename")))
        .containsExactly(
            Stream.of(remedies).map("               -> "::concat).toArray(String[]::new));
    assertThat(run.out()).containsPattern("(?m)^ok +clean-up +what was written is removed again$");
  }

  private static String line(CommandLineRun run, String check) {
    return run.out()
        .lines()
        .filter(it -> it.matches("\\S.* " + check + " .*"))
        .collect(Collectors.joining());
  }

  @Test
  void credentialsThatAreWrongAreNotTakenForMissingPermissions() {
    CommandLineRun run = run("-D", "fs.s3a.secret.key=another", "s3a://doctor/t");
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.out()).contains("SignatureDoesNotMatch").doesNotContain("-> grant");
  }

  @ParameterizedTest
  @CsvSource({
    "--hive-exec=/no/hive-exec.jar, --hive-exec /no/hive-exec.jar is no file",
    "s3a://doctor/, is the root of a bucket"
  })
  void whatCannotBeCheckedIsRefusedWithoutARequest(String typed, String message) {
    var before = server.gateway().counts();
    CommandLineRun run = run(typed);
    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.errorLines()).singleElement().asString().contains(message);
    assertThat(server.gateway().counts().minus(before).total()).isZero();
  }

  @Test
  void withoutAPathNoRequestIsSent() {
    var before = server.gateway().counts();
    CommandLineRun run = run();
    assertThat(run.exitCode()).as("no engine is ready: " + run.out()).isEqualTo(1);
    assertThat(server.gateway().counts().minus(before).total()).isZero();
    assertThat(run.out())
        .containsOnlyOnce("Hive: NOT CHECKED, there is no hive-site.xml")
        .containsPattern("(?m)^not checked +hive-jar \\.\\. hive-scratch ")
        .contains("hadoop-version")
        .doesNotContain("s3:PutObject");
  }

  private static CommandLineRun run(String... arguments) {
    Configuration conf = new Configuration();
    server.hadoopSettings().forEach(conf::set);
    return CommandLineRun.of(
        conf, Stream.concat(Stream.of("doctor"), Stream.of(arguments)).toArray(String[]::new));
  }
}
