package io.zerorename.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.fasterxml.jackson.databind.JsonNode;
import io.zerorename.core.commit.CommitFailedException;
import io.zerorename.core.commit.CommitProgress;
import io.zerorename.core.job.CommitLogs;
import io.zerorename.core.log.CommitLog;
import io.zerorename.core.recovery.Recovered;
import io.zerorename.core.recovery.Recovery;
import io.zerorename.core.s3a.S3AObjectStores;
import io.zerorename.testing.s3server.BucketContents.PendingUpload;
import io.zerorename.testing.s3server.EmbeddedS3Server;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** One bucket that jobs and commands reach by two names. */
class TwoNamesTest {
  private static EmbeddedS3Server server;
  private S3Bucket one;
  private S3Bucket other;

  @BeforeAll
  static void startServer() throws IOException {
    server = EmbeddedS3Server.startWithAlias("other-name", "one-name");
    server.createBucket("one-name");
  }

  @AfterAll
  static void stopServer() throws IOException {
    server.close();
  }

  @BeforeEach
  void start(@TempDir java.nio.file.Path directory) {
    one = new S3Bucket(server, "one-name", directory);
    other = new S3Bucket(server, "other-name", directory);
  }

  @AfterEach
  void stop() throws IOException {
    one.contents().abortUploads("");
    one.contents().clear("");
    one.close();
    other.close();
  }

  /** Neither sees what is open under the other name, and status does of what lies below a path. */
  @Test
  void eachNameHasALogOfItsOwn() throws Exception {
    WrittenJob open = new WrittenJob(one, "a").commitWithout("a");

    CommandLineRun byOther = other.run("recover", "s3a://other-name/db/t");
    assertThat(byOther.exitCode()).as(byOther.out()).isEqualTo(ExitCode.USAGE.number());
    assertThat(byOther.err()).contains("ZR-9102", "zerorename recover s3a://one-name/db/t");
    for (String path : List.of("s3a://other-name/db", "s3a://other-name/")) {
      CommandLineRun status = other.run("status", path);
      assertThat(status.exitCode()).as(status.out()).isEqualTo(ExitCode.FOUND.number());
      assertThat(status.out())
          .contains("committed, open", open.id(), "zerorename recover s3a://one-name/db/t");
    }

    new WrittenJob(other, "b").commit();
    assertThat(other.run("recover", "s3a://other-name/db/t").out())
        .contains(
            "No commit is open at s3a://other-name/db/t.",
            "by another name of the bucket: zerorename recover s3a://one-name/db/t");

    assertThat(other.run("recover", "s3a://one-name/db/t").exitCode()).isZero();
    assertThat(other.contents().files("db/t/")).contains(open.key("a"));
  }

  @Test
  void anOverwriteDoesNotReplaceWhatIsOpenUnderTheOtherName() throws Exception {
    WrittenJob complete = new WrittenJob(one, "a").commit();
    WrittenJob open = new WrittenJob(one, "b").commitWithout("b");
    // Times of objects are whole seconds.
    Thread.sleep(2_000);
    WrittenJob later = new WrittenJob(other, "c").replacing().commit();
    assertThat(one.contents().files("db/t/"))
        .as("without that of %s", complete.id())
        .containsExactly(later.key("c"));

    S3AObjectStores stores = one.stores();
    Path table = one.path("db/t");
    List<Recovered> automatic =
        new Recovery(
                stores,
                new CommitLogs(stores, one.conf()).of(table),
                ImpatientRecovery.SETTINGS,
                new OperatorsEngine(stores, Set.of(table), true, CommitProgress.NONE))
            .run(Duration.ZERO);
    assertThat(automatic).singleElement().isInstanceOf(Recovered.Left.class);
    assertThat(one.contents().files("db/t/")).containsExactly(later.key("c"));

    assertThat(new ImpatientRecovery(one).run().exitCode()).isZero();
    assertThat(one.contents().files("db/t/"))
        .containsExactlyInAnyOrder(later.key("c"), open.key("b"));
  }

  @Test
  void uploadsThatAreNeededUnderTheOtherNameAreSpared() throws Exception {
    WrittenJob open = new WrittenJob(one, "a").commitWithout("a");
    WrittenJob running = new WrittenJob(one, "b");
    new WrittenJob(other, "c").commit();
    Thread.sleep(2_000);

    CommandLineRun run = abortOld();
    assertThat(run.exitCode()).as(run.out()).isZero();
    assertThat(stateOf(open.key("a"), run)).isEqualTo("committed");
    assertThat(run.json().path("abortedJobs")).hasSize(1);
    assertThat(run.json().path("abortedJobs").path(0).asText()).isEqualTo(running.id());
    assertThat(pending()).containsExactly(open.key("a"));
    assertThatThrownBy(running::attempt).isInstanceOf(CommitFailedException.class);

    assertThat(other.run("recover", "s3a://one-name/db/t").exitCode()).isZero();
    assertThat(other.contents().files("db/t/")).contains(open.key("a"));
  }

  /** No log may be told that a job is aborted which another log has committed. */
  @ParameterizedTest(name = "{0}")
  @MethodSource("logs")
  void uploadsAreSparedWhereAnotherLogHasTheCommit(
      String where, String destination, String file, List<String> ofOthers, String state)
      throws Exception {
    WrittenJob open = WrittenJob.to(destination, one, file).commitWithout(file);
    if (state.equals("unreadable")) {
      one.contents().write(one.entry("t"), "{".getBytes(UTF_8));
    }
    for (String place : ofOthers) {
      WrittenJob.to(place, other, "c").commit();
    }
    Thread.sleep(2_000);

    for (CommandLineRun run :
        List.of(abortOld(), other.run("uploads", "--abort", "--json", "s3a://other-name/db/t"))) {
      assertThat(run.exitCode()).as(run.out()).isZero();
      assertThat(stateOf(open.key(file), run)).isEqualTo(state);
      assertThat(pending()).containsExactly(open.key(file));
    }
  }

  private static Stream<Arguments> logs() {
    return Stream.of(
        arguments(
            "the table has a log by its other name alone", "db/t", "a", List.of("db"), "committed"),
        arguments(
            "a directory above has it, whose log is read behind that of the table",
            "db",
            "t/a",
            List.of("db", "db/t"),
            "committed"),
        arguments(
            "no entry by the other name can be read", "db/t", "a", List.of("db/t"), "unreadable"));
  }

  /** The job is committed after its upload was found, in the log that is read last. */
  @Test
  void noLogIsToldThatAJobIsAbortedWhichAnotherCommitsMeanwhile() throws Exception {
    WrittenJob running = WrittenJob.to("db", one, "t/a");
    WrittenJob.to("db", other, "c").commit();
    WrittenJob.to("db", one, "c").commit();
    new WrittenJob(other, "d").commit();
    PendingUploads uploads =
        new PendingUploads(List.of(other.path("db/t")), other.stores(), other.conf());
    List<FoundUpload> found = uploads.find();
    assertThat(found).singleElement().extracting("state").isEqualTo(UploadState.UNDECIDED);
    running.commitWithout("t/a");

    List<String> spared = new ArrayList<>();
    uploads.abort(found, new ArrayList<>(), spared);
    assertThat(spared).containsExactly(running.id());
    assertThat(pending()).containsExactly(running.key("t/a"));
    CommitLog log = new CommitLogs(other.stores(), other.conf()).of(other.path("db/t"));
    assertThat(log.find(running.id(), log.tailDownTo(1))).as("in the log of the table").isEmpty();
  }

  private CommandLineRun abortOld() {
    return other.run("uploads", "--abort", "--older-than", "1s", "--json", "s3a://other-name/db/t");
  }

  private static String stateOf(String key, CommandLineRun run) throws IOException {
    for (JsonNode upload : run.json().path("uploads")) {
      if (upload.path("path").asText().endsWith("/" + key)) {
        return upload.path("state").asText();
      }
    }
    return "not listed";
  }

  private List<String> pending() {
    return one.contents().pendingUploads("").stream().map(PendingUpload::key).toList();
  }
}
