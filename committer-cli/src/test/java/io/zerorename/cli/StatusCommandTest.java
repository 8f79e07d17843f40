package io.zerorename.cli;

import static io.zerorename.testing.s3server.FaultRule.always;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.zerorename.core.config.CoreKeys;
import io.zerorename.testing.s3server.Fault;
import io.zerorename.testing.s3server.RequestCounts;
import io.zerorename.testing.s3server.RequestType;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** {@code zerorename status} against a real S3 server. */
class StatusCommandTest extends OnTable {
  @Test
  void whatIsOpenAtEveryDestinationBelowIsOneRow() throws Exception {
    WrittenJob.to("db/done", bucket, "a").commit();
    WrittenJob broken = new WrittenJob(bucket, "d", "e").commitWithout("e");
    WrittenJob also = new WrittenJob(bucket, "f", "g").commitWithout("g");
    WrittenJob damaged = WrittenJob.to("db/deep/er/u", bucket, "x", "y").commitLosing("y");
    WrittenJob running = WrittenJob.to("db/v", bucket, "zzz");

    Map<String, String> before = objects();
    CommandLineRun run = bucket.run("status", path("db"));

    assertThat(run.exitCode()).as(run.err()).isEqualTo(ExitCode.FOUND.number());
    assertThat(run.err()).isEmpty();
    assertThat(words(run))
        .containsExactly(
            "STATE ENTRY AGE FILES BYTES JOB DESTINATION",
            "damaged 1 … 2 2 B " + damaged.id() + " " + path("db/deep/er/u"),
            "committed, open 2 … 2 2 B " + also.id() + " " + table,
            "committed, open 1 … 2 2 B " + broken.id() + " " + table,
            "",
            "Entry 1, job " + damaged.id() + ", INSERT INTO db.t:",
            "lost: " + damaged.path("y"),
            "The other files are visible. Load only the lost rows again, in a new job: rows that are"
                + " visible would be there twice.",
            "",
            "Entry 2, job " + also.id() + ", INSERT INTO db.t:",
            "It is being executed, or was interrupted: zerorename recover "
                + table
                + " completes it.",
            "",
            "Entry 1, job " + broken.id() + ", INSERT INTO db.t:",
            "It is being executed, or was interrupted: zerorename recover "
                + table
                + " completes it.",
            "",
            "2 pending uploads, committed, not complete; the oldest is … old.",
            "1 pending upload, not known to us; the oldest is … old.");
    assertThat(objects()).as("it changes nothing").isEqualTo(before);

    Map<String, JsonNode> destinations = destinations(path(""));
    assertThat(destinations.keySet()).containsExactlyInAnyOrder(path("db/deep/er/u"), table);
    JsonNode jobs = destinations.get(table).path("jobs");
    assertThat(jobs).hasSize(2);
    assertThat(jobs.path(1).path("job").asText()).isEqualTo(broken.id());
    assertThat(jobs.path(1).path("entry").asInt()).isOne();
    assertThat(jobs.path(1).path("state").asText()).isEqualTo("committed");
    assertThat(jobs.path(0).path("job").asText()).isEqualTo(also.id());
    JsonNode lost = destinations.get(path("db/deep/er/u")).path("jobs").path(0);
    assertThat(lost.path("job").asText()).isEqualTo(damaged.id());
    assertThat(lost.path("lost")).hasSize(1);
    assertThat(run.out()).doesNotContain(running.id());
  }

  @Test
  void aRunningJobAndACompleteOneAreNoAlarm() throws Exception {
    new WrittenJob(bucket, "a").commit();
    WrittenJob running = new WrittenJob(bucket, "b");

    CommandLineRun run = bucket.run("status", path("db"));
    assertThat(run.exitCode()).as(run.out() + run.err()).isEqualTo(ExitCode.OK.number());
    assertThat(run.out()).contains("No commit is open", "not decided, may be running");
    running.abort();
    CommandLineRun after = bucket.run("status", path("db"));
    assertThat(after.exitCode()).isEqualTo(ExitCode.OK.number());
    assertThat(after.out().lines())
        .containsExactly(
            "No commit is open at or below " + path("db") + "; it has 1 commit log.",
            "No upload is pending there.");
  }

  @Test
  void whereNoJobHasWrittenItIsSaid() throws Exception {
    bucket.contents().write("nothing/file", new byte[1]);
    CommandLineRun run = bucket.run("status", path("nothing"));
    assertThat(run.exitCode()).as(run.err()).isEqualTo(ExitCode.OK.number());
    assertThat(run.out().lines())
        .first()
        .isEqualTo(
            "No commit log is at or below "
                + path("nothing")
                + ": no job of the committer has written there.");
    assertThat(bucket.run("status", "--json", path("nothing")).json().path("logs").asInt())
        .isZero();
  }

  @Test
  void aPathAtWhichNothingIsMayBeMistyped() throws Exception {
    new WrittenJob(bucket, "a").commitWithout("a");

    CommandLineRun run = bucket.run("status", path("db/tt"));
    assertThat(run.exitCode()).as(run.out()).isEqualTo(ExitCode.USAGE.number());
    assertThat(run.errorLines())
        .singleElement()
        .asString()
        .startsWith("zerorename: ZR-9102: No commit log of " + path("db/tt"))
        .endsWith(
            "No object is there either: check the path. zerorename status "
                + path("")
                + " shows all of the bucket.");
  }

  @Test
  void aLogThatCannotBeReadDoesNotHideTheOthers() throws Exception {
    WrittenJob broken = new WrittenJob(bucket, "a").commitWithout("a");
    WrittenJob.to("db/u", bucket, "b").commitWithout("b");

    bucket.refuse(request -> request.key().contains("_zerorename/u-"));
    CommandLineRun run = bucket.run("status", path("db"));

    assertThat(run.exitCode()).as(run.err()).isEqualTo(ExitCode.FAILED.number());
    assertThat(words(run))
        .contains("records cannot be read - - - - - " + path("db/u"))
        .anyMatch(line -> line.startsWith("committed, open 1 … 1 1 B " + broken.id()))
        .anyMatch(line -> line.contains("_zerorename/u-") && line.contains("AccessDenied"));
  }

  /** Its job is one row, and so are those of other tables. */
  @Test
  void anEntryThatIsDamagedDoesNotHideTheOthers() throws Exception {
    WrittenJob broken = new WrittenJob(bucket, "a").commitWithout("a");
    WrittenJob.to("db/u", bucket, "b").commitWithout("b");

    bucket.contents().write(bucket.entry("u"), "{".getBytes(UTF_8));
    CommandLineRun run = bucket.run("status", path("db"));

    assertThat(run.exitCode()).as(run.err()).isEqualTo(ExitCode.FOUND.number());
    assertThat(words(run))
        .contains("committed, open 1 … 1 1 B " + broken.id() + " " + table)
        .anyMatch(line -> line.startsWith("records damaged 1 … - - "));
  }

  @Test
  void logsAreFoundInAConfiguredDirectoryAndBesideTheTable() throws Exception {
    new WrittenJob(bucket, "a", "b").commitWithout("b");

    assertThat(destinations(path("db"))).containsOnlyKeys(table);
    assertThat(destinations(path("elsewhere"))).isEmpty();

    bucket.set(CoreKeys.COMMIT_DIR.name(), path("records"));
    WrittenJob.to("db/u", bucket, "a").commitWithout("a");

    assertThat(destinations(path("db"))).containsOnlyKeys(table, path("db/u"));
    assertThat(destinations(path("db/u"))).containsOnlyKeys(path("db/u"));
  }

  @Test
  void uploadsThatAreLeftOverAreSomethingToDo() throws Exception {
    WrittenJob aborted = new WrittenJob(bucket, "x").abort();

    bucket.beginUpload(aborted.key("late"));
    CommandLineRun run = bucket.run("status", path("db"));
    assertThat(run.exitCode()).as(run.err()).isEqualTo(ExitCode.FOUND.number());
    assertThat(words(run)).contains("1 pending upload, orphaned; the oldest is … old.");
  }

  @Test
  void whereUploadsCannotBeListedItIsSaid() throws Exception {
    new WrittenJob(bucket, "a").commit();

    bucket.serverName("MinIO");
    CommandLineRun minio = bucket.run("status", table);
    assertThat(minio.exitCode()).as(minio.err()).isEqualTo(ExitCode.OK.number());
    assertThat(minio.out())
        .contains(
            "Whether uploads are pending below "
                + table
                + " cannot be seen: the store, MinIO, lists uploads by their exact key only.")
        .doesNotContain("No upload is pending");
    bucket.faults(
        always(
            request -> request.type() == RequestType.LIST_MULTIPART_UPLOADS, Fault.accessDenied()));
    CommandLineRun denied = bucket.run("status", "--json", table);
    assertThat(denied.exitCode()).isEqualTo(ExitCode.FAILED.number());
    assertThat(denied.err())
        .startsWith("zerorename: ZR-9119: Pending uploads cannot be listed: ")
        .contains(bucket.contents().bucket());
    assertThat(denied.json().path("uploadsNotListed").path(0).asText()).isEqualTo(table);
  }

  @Test
  void whileTheStoreDoesNotAnswerItIsNamed() throws Exception {
    new WrittenJob(bucket, "a").commit();
    bucket.faults(always(request -> true, Fault.delay(Duration.ofSeconds(1))));
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    Output output =
        new Output(
            new PrintStream(new ByteArrayOutputStream(), true, UTF_8),
            new PrintStream(err, true, UTF_8),
            false,
            Duration.ofMillis(200));
    StatusCommand command = new StatusCommand();
    new CommandLine(command).parseArgs(table);
    ExitCode code = command.run(new Session(bucket.conf(), bucket.conf(), List.of(), output));
    assertThat(code).isEqualTo(ExitCode.OK);
    assertThat(err.toString(UTF_8).lines())
        .contains(
            "zerorename: Waiting for the store at %s, for %s: 1 request sent so far"
                .formatted(bucket.conf().get("fs.s3a.endpoint"), table));
  }

  @Test
  void itSendsAListingForEachLogAndOneForWhatIsBelow() throws Exception {
    new WrittenJob(bucket, "a").commit();
    WrittenJob.to("db/u", bucket, "b").commit();

    bucket.run("status", path("db"));
    RequestCounts before = bucket.counts();
    assertThat(bucket.run("status", path("db")).exitCode()).isZero();
    RequestCounts sent = bucket.counts().minus(before);
    // What is below, a log of db, and both logs.
    assertThat(sent.of(RequestType.LIST_OBJECTS_V2)).isEqualTo(1 + 1 + 2);
    assertThat(sent.of(RequestType.LIST_MULTIPART_UPLOADS)).isOne();
    assertThat(sent.total()).isEqualTo(5);
  }

  private String path(String key) {
    return bucket.path(key).toString();
  }

  private Map<String, JsonNode> destinations(String path) throws Exception {
    Map<String, JsonNode> destinations = new HashMap<>();
    CommandLineRun run = bucket.run("status", "--json", path);
    run.json()
        .path("destinations")
        .forEach(it -> destinations.put(it.path("destination").asText(), it));
    return destinations;
  }

  private Map<String, String> objects() {
    Map<String, String> objects = new HashMap<>();
    bucket.contents().objects("").forEach((key, value) -> objects.put(key, value.toString()));
    return objects;
  }

  /** Its lines, without what aligns the columns and without ages. */
  private static List<String> words(CommandLineRun run) {
    return run.out()
        .lines()
        .map(
            line ->
                line.strip()
                    .replaceAll(" +", " ")
                    .replaceAll("\\b\\d+ s\\b|\\d+ min \\d+ s\\b", "…"))
        .toList();
  }
}
