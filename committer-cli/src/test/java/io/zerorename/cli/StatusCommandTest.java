package io.zerorename.cli;

import static io.zerorename.testing.s3server.FaultRule.always;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.zerorename.core.config.CoreKeys;
import io.zerorename.testing.s3server.Fault;
import io.zerorename.testing.s3server.RequestCounts;
import io.zerorename.testing.s3server.RequestType;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

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
        .containsSubsequence(
            "STATE ENTRY AGE FILES BYTES JOB DESTINATION",
            "damaged 1 … 2 2 B " + damaged.id() + " " + path("db/deep/er/u"),
            "committed, open 2 … 2 2 B " + also.id() + " " + table,
            "committed, open 1 … 2 2 B " + broken.id() + " " + table,
            "lost: " + damaged.path("y"),
            "2 pending uploads, committed, not complete; the oldest is … old.",
            "1 pending upload, not known to us; the oldest is … old.");
    assertThat(objects()).as("it changes nothing").isEqualTo(before);

    Map<String, JsonNode> destinations = destinations(path(""));
    assertThat(destinations.keySet()).containsExactlyInAnyOrder(path("db/deep/er/u"), table);
    assertThat(destinations.get(table).path("jobs").findValuesAsText("job"))
        .containsExactly(also.id(), broken.id());
    JsonNode lost = destinations.get(path("db/deep/er/u")).path("jobs").path(0);
    assertThat(lost.path("job").asText()).isEqualTo(damaged.id());
    assertThat(lost.path("lost")).hasSize(1);
    assertThat(run.out()).doesNotContain(running.id());
  }

  @Test
  void aRunningJobAndACompleteOneAreNoAlarm() throws Exception {
    new WrittenJob(bucket, "a").commit();
    new WrittenJob(bucket, "b");

    CommandLineRun run = bucket.run("status", path("db"));
    assertThat(run.exitCode()).as(run.out() + run.err()).isEqualTo(ExitCode.OK.number());
    assertThat(run.out()).contains("No commit is open", "not decided, may be running");
  }

  @Test
  void aPathAtWhichNothingIsMayBeMistyped() throws Exception {
    new WrittenJob(bucket, "a").commitWithout("a");

    CommandLineRun run = bucket.run("status", path("db/tt"));
    assertThat(run.exitCode()).as(run.out()).isEqualTo(ExitCode.USAGE.number());
    assertThat(run.errorLines())
        .singleElement()
        .asString()
        .contains("No commit log of " + path("db/tt"), "No object is there either");
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

  @Test
  void eachJobIsShownWithItsStateAndWhatToDo() throws Exception {
    WrittenJob complete = new WrittenJob(bucket, "a", "bb").ofRun("today").commit();
    WrittenJob aborted = new WrittenJob(bucket, "x").abort();
    WrittenJob running = new WrittenJob(bucket, "c");
    WrittenJob broken = new WrittenJob(bucket, "d", "e").commitWithout("e");

    CommandLineRun run = bucket.run("status", "--ended", "50", "--json", table);

    assertThat(run.exitCode()).as(run.err()).isEqualTo(ExitCode.FOUND.number());
    Map<String, JsonNode> jobs = new HashMap<>();
    jobs(run).forEach(job -> jobs.put(job.path("job").asText(), job));
    assertThat(jobs).containsOnlyKeys(complete.id(), aborted.id(), broken.id());
    JsonNode ended = jobs.get(complete.id());
    assertThat(ended.path("entry").asInt()).isOne();
    assertThat(ended.path("state").asText()).isEqualTo("complete");
    assertThat(ended.path("files").asInt()).isEqualTo(2);
    assertThat(ended.path("bytes").asInt()).isEqualTo(3);
    assertThat(ended.path("run").asText()).isEqualTo("today");
    assertThat(jobs.get(aborted.id()).path("state").asText()).isEqualTo("aborted");
    assertThat(jobs.get(aborted.id()).path("entry").asInt()).isEqualTo(2);
    JsonNode open = jobs.get(broken.id());
    assertThat(open.path("state").asText()).isEqualTo("committed");
    assertThat(open.path("description").asText()).isEqualTo("INSERT INTO db.t");
    assertThat(open.path("next").asText()).contains("zerorename recover " + table);

    CommandLineRun text = bucket.run("status", table + "/p=1");
    assertThat(text.exitCode()).isEqualTo(ExitCode.FOUND.number());
    assertThat(text.out())
        .contains("committed, open", "Entry 3, job " + broken.id())
        .doesNotContain(complete.id(), aborted.id(), running.id());
  }

  @Test
  void asManyEndedJobsAreShownAsAreAskedForTheLatestFirst() throws Exception {
    WrittenJob first = new WrittenJob(bucket, "a").commit();
    WrittenJob second = new WrittenJob(bucket, "b").commit();
    WrittenJob damaged = new WrittenJob(bucket, "d", "e").commitLosing("e");
    WrittenJob third = new WrittenJob(bucket, "c").commit();

    List<JsonNode> all = jobs("4");
    assertThat(all)
        .extracting(job -> job.path("job").asText())
        .containsExactlyInAnyOrder(first.id(), second.id(), damaged.id(), third.id());
    assertThat(all)
        .extracting(job -> Instant.parse(job.path("when").asText()))
        .isSortedAccordingTo(Comparator.reverseOrder());
    assertThat(jobs("1"))
        .extracting(job -> job.path("job").asText())
        .containsExactlyInAnyOrder(third.id(), damaged.id());
    assertThat(jobs("0")).extracting(job -> job.path("job").asText()).containsExactly(damaged.id());
  }

  private List<JsonNode> jobs(String ended) throws Exception {
    return jobs(bucket.run("status", "--json", "--ended", ended, table));
  }

  private static List<JsonNode> jobs(CommandLineRun run) throws Exception {
    List<JsonNode> jobs = new ArrayList<>();
    run.json().path("destinations").forEach(it -> it.path("jobs").forEach(jobs::add));
    return jobs;
  }

  @Test
  void anEntryThatCannotBeReadIsShownAndGivenUp() throws Exception {
    WrittenJob broken = new WrittenJob(bucket, "a", "b").commitWithout("b");

    String entry = bucket.entry("t");
    bucket.contents().write(entry, "{".getBytes(UTF_8));
    JsonNode job =
        jobs("50").stream()
            .filter(shown -> shown.path("entry").asInt() == 1)
            .findFirst()
            .orElseThrow();
    assertThat(job.path("state").asText()).isEqualTo("unreadable");
    assertThat(job.path("problem").asText()).contains(entry);
    assertThat(job.path("next").asText()).contains("recover " + table + " --give-up");

    CommandLineRun early = bucket.run("recover", "--give-up", table);
    assertThat(early.exitCode()).isEqualTo(ExitCode.FOUND.number());
    assertThat(early.out()).contains("Run the command again 22 minutes after");
    assertThat(bucket.contents().files("db/t/")).containsExactly(broken.key("a"));
  }
}
