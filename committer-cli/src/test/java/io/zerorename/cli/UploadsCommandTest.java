package io.zerorename.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.zerorename.core.commit.CommitFailedException;
import io.zerorename.core.s3a.S3AObjectStores;
import io.zerorename.testing.s3server.BucketContents.PendingUpload;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** {@code zerorename uploads} against a real S3 server. */
class UploadsCommandTest extends OnTable {
  @Test
  void eachUploadIsListedWithItsJobAndWhatMayBeDoneWithIt() throws Exception {
    WrittenJob committed = new WrittenJob(bucket, "a", "p=1/b").commitWithout("p=1/b");
    WrittenJob aborted = new WrittenJob(bucket, "x").abort();
    WrittenJob running = new WrittenJob(bucket, "p=2/c", "p=2/dd");

    bucket.beginUpload(committed.key("p=1/lost"));
    bucket.beginUpload(aborted.key("late"));
    bucket.beginUpload("db/t/foreign");
    bucket.beginUpload("db/elsewhere/" + running.id());

    assertThat(listed())
        .containsOnly(
            Map.entry("p=1/b." + committed.id(), committed.id() + " committed"),
            Map.entry("p=1/lost." + committed.id(), committed.id() + " orphaned"),
            Map.entry("late." + aborted.id(), aborted.id() + " orphaned"),
            Map.entry("p=2/c." + running.id(), running.id() + " undecided"),
            Map.entry("p=2/dd." + running.id(), running.id() + " undecided"),
            Map.entry("foreign", "null unknown"));

    CommandLineRun text = bucket.run("uploads", "--sizes", table + "/p=2");
    assertThat(text.out())
        .contains("not decided, may be running", "2 pending uploads, 11 B")
        .doesNotContain("foreign");
  }

  /** Spark's own names have an id that is not the job's. */
  @Test
  void whatAnOpenEntryNamesIsNeededWhateverItsKey() throws Exception {
    String other = UUID.randomUUID().toString();
    WrittenJob open =
        WrittenJob.ofPlainNames(bucket, "a", "part-" + other).commitWithout("part-" + other);

    bucket.beginUpload("db/t/late-" + other);
    assertThat(listed())
        .containsOnly(
            Map.entry("part-" + other, other + " committed"),
            Map.entry("late-" + other, other + " undecided"));
    assertThat(open.id()).isNotEqualTo(other);
  }

  /** Its log may be elsewhere, and have an open entry. */
  @Test
  void whereNoLogIsNoUploadIsAborted() throws Exception {
    WrittenJob first = new WrittenJob(bucket, "a");

    CommandLineRun run = bucket.run("uploads", "--abort", "--older-than", "0m", table);
    assertThat(run.exitCode()).as(run.err()).isEqualTo(ExitCode.OK.number());
    assertThat(run.out()).contains("1 stay: not known to us");
    assertThat(keys()).containsExactly(first.key("a"));
  }

  @Test
  void onlyWhatIsLeftOverIsAbortedAndOnlyWhenToldTo() throws Exception {
    WrittenJob committed = new WrittenJob(bucket, "a", "b").commitWithout("b");
    WrittenJob aborted = new WrittenJob(bucket, "x").abort();
    WrittenJob running = new WrittenJob(bucket, "c");

    bucket.beginUpload(aborted.key("late"));
    bucket.beginUpload("db/t/foreign");

    CommandLineRun dry = bucket.run("uploads", table);
    assertThat(dry.exitCode()).isEqualTo(ExitCode.OK.number());
    assertThat(dry.out())
        .contains(aborted.path("late").toString())
        .contains("1 can go: add --abort.")
        .contains("1 stay: needed by a commit that is not complete")
        .contains("1 stay: of jobs that are not decided and may be running")
        .contains("1 stay: not known to us");
    assertThat(bucket.contents().pendingUploads("")).hasSize(4);

    CommandLineRun young = bucket.run("uploads", "--abort", "--older-than", "1h", table);
    assertThat(young.exitCode()).isEqualTo(ExitCode.OK.number());
    assertThat(young.out())
        .contains("1 stay: not older than 1 h")
        .contains("1 stay: of jobs that may be running: they have begun an upload within");
    assertThat(bucket.contents().pendingUploads("")).hasSize(4);

    CommandLineRun real = bucket.run("uploads", "--abort", table);
    assertThat(real.exitCode()).as(real.err()).isEqualTo(ExitCode.OK.number());
    assertThat(real.out()).contains("1 upload aborted");
    assertThat(keys())
        .containsExactlyInAnyOrder(committed.key("b"), running.key("c"), "db/t/foreign");

    S3AObjectStores stores = bucket.stores();

    PendingUploads pending =
        new PendingUploads(List.of(bucket.path("db/t")), stores, bucket.conf());
    List<FoundUpload> undecided =
        pending.find().stream().filter(it -> it.state() == UploadState.UNDECIDED).toList();
    List<String> abortedJobs = new ArrayList<>();
    pending.abort(undecided, abortedJobs, new ArrayList<>());
    assertThat(pending.aborted()).isOne();
    assertThat(abortedJobs).containsExactly(running.id());

    assertThat(keys()).containsExactlyInAnyOrder(committed.key("b"), "db/t/foreign");
    // Its process may still believe that it can commit.
    assertThatThrownBy(running::attempt).isInstanceOf(CommitFailedException.class);

    // What was committed is whole.
    assertThat(bucket.run("recover", table).exitCode()).isEqualTo(ExitCode.OK.number());
    assertThat(bucket.contents().files("db/t/"))
        .containsExactlyInAnyOrder(committed.key("a"), committed.key("b"));
  }

  @Test
  void aJobThatIsCommittedBetweenTheListAndTheAbortIsSpared() throws Exception {
    new WrittenJob(bucket, "x").commit();
    WrittenJob running = new WrittenJob(bucket, "a", "b");
    S3AObjectStores stores = bucket.stores();

    PendingUploads pending =
        new PendingUploads(List.of(bucket.path("db/t")), stores, bucket.conf());
    List<FoundUpload> found = pending.find();
    assertThat(found).hasSize(2).allMatch(it -> it.state() == UploadState.UNDECIDED);
    running.commitWithout("b");

    List<String> spared = new ArrayList<>();
    pending.abort(found, new ArrayList<>(), spared);
    assertThat(pending.aborted()).isZero();
    assertThat(spared).containsExactly(running.id());
    assertThat(keys()).containsExactly(running.key("b"));
  }

  @Test
  void uploadsThatWouldBeUnknownAreLeftAloneWhereRecordsCannotBeRead() throws Exception {
    bucket.beginUpload("db/t/foreign");
    bucket.refuse(request -> request.prefix().orElse(request.key()).startsWith("_zerorename"));
    CommandLineRun run = bucket.run("uploads", "--abort", "--older-than", "0m", "--json", table);
    assertThat(run.exitCode()).as(run.err()).isEqualTo(ExitCode.OK.number());
    assertThat(run.json().path("uploads").path(0).path("state").asText()).isEqualTo("unreadable");
    assertThat(run.json().path("uploads").path(0).path("canGo").asBoolean()).isFalse();
    assertThat(run.json().path("aborted").asInt(-1)).as("that nothing was is said").isZero();
    assertThat(keys()).containsExactly("db/t/foreign");
  }

  @Test
  void whatIsNotDecidedIsAbortedOnceItsJobHasBegunNothingForLong() {
    Instant present = Instant.now();
    Duration week = Duration.ofDays(7);
    assertThat(reasonToKeep(present, Duration.ofDays(8), Duration.ofDays(8), "--older-than", "7d"))
        .isEmpty();
    assertThat(reasonToKeep(present, Duration.ofDays(6), Duration.ofDays(6), "--older-than", "7d"))
        .contains("of jobs that may be running: they have begun an upload within the last 7 d 0 h");
    assertThat(reasonToKeep(present, Duration.ofDays(8), Duration.ofDays(1), "--older-than", "7d"))
        .isPresent();
    for (String[] none : List.of(new String[0], new String[] {"--older-than", "0m"})) {
      assertThat(reasonToKeep(present, week, week, none))
          .hasValueSatisfying(reason -> assertThat(reason).contains("may be running"));
    }
  }

  private Optional<String> reasonToKeep(
      Instant present, Duration age, Duration silent, String... options) {
    UploadsCommand command = new UploadsCommand();
    List<String> typed = new ArrayList<>(List.of(options));
    typed.add(table);
    new CommandLine(command).parseArgs(typed.toArray(String[]::new));
    return command.reasonToKeep(
        new FoundUpload(
            bucket.path("db/t/f"),
            "id",
            present.minus(age),
            Optional.of(UUID.randomUUID().toString()),
            present.minus(silent),
            UploadState.UNDECIDED),
        present);
  }

  /** The job and the state of each upload, by its name in the table. */
  private Map<String, String> listed() throws Exception {
    CommandLineRun run = bucket.run("uploads", "--json", table);
    assertThat(run.exitCode()).as(run.err()).isEqualTo(ExitCode.OK.number());
    Map<String, String> listed = new HashMap<>();
    for (JsonNode upload : run.json().path("uploads")) {
      listed.put(
          upload.path("path").asText().substring(table.length() + 1),
          upload.path("job").asText() + " " + upload.path("state").asText());
    }
    return listed;
  }

  private List<String> keys() {
    return bucket.contents().pendingUploads("").stream().map(PendingUpload::key).toList();
  }
}
