package io.zerorename.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.zerorename.cli.command.ExitCode;
import io.zerorename.core.commit.CommitFailedException;
import io.zerorename.core.job.CommitLogs;
import io.zerorename.core.recovery.FoundUpload;
import io.zerorename.core.recovery.UploadStatus;
import io.zerorename.core.s3a.S3AObjectStores;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.testing.s3server.BucketContents.PendingUpload;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** {@code zerorename uploads} against a real S3 server. */
class UploadsCommandTest extends OnTable {
  @Test
  void eachUploadIsListedWithItsJobAndWhatMayBeDoneWithIt() throws Exception {
    try (WrittenJob committed = new WrittenJob(bucket, "a", "p=1/b").commitWithout("p=1/b");
        WrittenJob aborted = new WrittenJob(bucket, "x").abort();
        WrittenJob running = new WrittenJob(bucket, "p=2/c", "p=2/dd")) {
      bucket.beginUpload(committed.key("p=1/lost"));
      bucket.beginUpload(aborted.key("late"));
      bucket.beginUpload("db/t/foreign");
      bucket.beginUpload("db/elsewhere/" + running.id());

      CommandLineRun run = bucket.run("uploads", "list", "--json", table);

      assertThat(run.exitCode()).as(run.err()).isEqualTo(ExitCode.OK.number());
      Map<String, String> states = new HashMap<>();
      for (JsonNode upload : run.json().path("uploads")) {
        states.put(
            upload.path("path").asText().substring(table.length() + 1),
            upload.path("job").asText() + " " + upload.path("state").asText());
      }
      assertThat(states)
          .containsOnly(
              Map.entry("p=1/b." + committed.id(), committed.id() + " committed"),
              Map.entry("p=1/lost." + committed.id(), committed.id() + " orphaned"),
              Map.entry("late." + aborted.id(), aborted.id() + " orphaned"),
              Map.entry("p=2/c." + running.id(), running.id() + " undecided"),
              Map.entry("p=2/dd." + running.id(), running.id() + " undecided"),
              Map.entry("foreign", "null unknown"));

      CommandLineRun text = bucket.run("uploads", "list", "--sizes", table + "/p=2");
      assertThat(text.out())
          .contains("not decided, may be running", "2 pending uploads, 11 B")
          .doesNotContain("foreign");
    }
  }

  /** Part of many a key, and the id of no job. */
  @Test
  void aJobOfAnotherNameThanOursHaveOwnsNothing() throws Exception {
    try (WrittenJob running = new WrittenJob(bucket, "c");
        S3AObjectStores stores = new S3AObjectStores(bucket.conf())) {
      CommitLogs logs = new CommitLogs(stores, bucket.conf());
      String log = ObjectKeys.prefixOf(logs.of(bucket.path("db/t")).directory());
      bucket.contents().write(log + "log/_999999999998", new byte[0]);
      bucket.contents().write(log + "log/_999999999998.ended.complete.add.1.1.a", new byte[0]);
      bucket.beginUpload("db/t/a-foreign");

      CommandLineRun run = bucket.run("uploads", "list", "--json", table);

      assertThat(run.exitCode()).as(run.err()).isEqualTo(ExitCode.OK.number());
      Map<String, String> jobs = new HashMap<>();
      for (JsonNode upload : run.json().path("uploads")) {
        jobs.put(upload.path("path").asText(), upload.path("job").asText());
      }
      assertThat(jobs)
          .containsOnly(
              Map.entry(table + "/a-foreign", "null"),
              Map.entry(running.path("c").toString(), running.id()));
    }
  }

  @Test
  void nothingPendingIsSaid() {
    CommandLineRun run = bucket.run("uploads", "list", table);
    assertThat(run.exitCode()).isEqualTo(ExitCode.OK.number());
    assertThat(run.out()).isEqualToIgnoringNewLines("No upload is pending below " + table + ".");
  }

  @Test
  void onlyWhatIsLeftOverIsAbortedAndOnlyWhenToldTo() throws Exception {
    try (WrittenJob committed = new WrittenJob(bucket, "a", "b").commitWithout("b");
        WrittenJob aborted = new WrittenJob(bucket, "x").abort();
        WrittenJob running = new WrittenJob(bucket, "c")) {
      bucket.beginUpload(aborted.key("late"));
      bucket.beginUpload("db/t/foreign");

      CommandLineRun dry = bucket.run("uploads", "abort", table);
      assertThat(dry.exitCode()).isEqualTo(ExitCode.FOUND.number());
      assertThat(dry.out())
          .contains("would abort " + aborted.path("late"))
          .contains("Nothing was aborted yet. Add --yes")
          .contains("1 left alone: its job is committed and not complete")
          .contains("1 left alone: its job may be running")
          .contains("1 left alone: not known to us");
      assertThat(bucket.contents().pendingUploads("")).hasSize(4);

      CommandLineRun young = bucket.run("uploads", "abort", "--older-than", "1h", "--yes", table);
      assertThat(young.exitCode()).isEqualTo(ExitCode.OK.number());
      assertThat(young.out()).contains("4 left alone: not older than 1 h");

      CommandLineRun real = bucket.run("uploads", "abort", "--yes", table);
      assertThat(real.exitCode()).as(real.err()).isEqualTo(ExitCode.OK.number());
      assertThat(real.out()).contains("1 upload was aborted");
      assertThat(keys())
          .containsExactlyInAnyOrder(committed.key("b"), running.key("c"), "db/t/foreign");

      CommandLineRun all = bucket.run("uploads", "abort", "--all", "--now", "--yes", table);
      assertThat(all.exitCode()).as(all.err()).isEqualTo(ExitCode.OK.number());
      assertThat(all.out()).contains("Job " + running.id() + " was aborted as a whole");
      assertThat(keys()).containsExactly(committed.key("b"));
      // Its process may still believe that it can commit.
      assertThatThrownBy(running::attempt).isInstanceOf(CommitFailedException.class);

      // What was committed is whole.
      assertThat(bucket.run("recover", "--now", table).exitCode()).isEqualTo(ExitCode.OK.number());
      assertThat(bucket.contents().files("db/t/"))
          .containsExactlyInAnyOrder(committed.key("a"), committed.key("b"));
    }
  }

  @Test
  void uploadsThatWouldBeUnknownAreLeftAloneWhereRecordsCannotBeRead() throws Exception {
    bucket.beginUpload("db/t/foreign");
    bucket.refuse(request -> request.prefix().orElse(request.key()).startsWith("_zerorename"));
    CommandLineRun run = bucket.run("uploads", "abort", "--all", "--now", "--yes", "--json", table);
    assertThat(run.exitCode()).as(run.err()).isEqualTo(ExitCode.OK.number());
    assertThat(run.json().path("leftAlone").path(0).path("state").asText()).isEqualTo("unreadable");
    assertThat(keys()).containsExactly("db/t/foreign");
  }

  @Test
  void uploadsOfARunningInsertOfHivesAreKnown() throws Exception {
    try (WrittenJob running = WrittenJob.ofHive(bucket, "c")) {
      CommandLineRun listed = bucket.run("uploads", "list", "--json", table);
      assertThat(listed.json().path("uploads").path(0).path("job").asText())
          .isEqualTo(running.id());
      assertThat(listed.json().path("uploads").path(0).path("state").asText())
          .isEqualTo("undecided");
      assertThat(bucket.run("jobs", table).out()).contains(running.id());
    }
  }

  @Test
  void whereAPlaceOfRecordsCannotBeTrustedNoUploadIsUnknown() throws Exception {
    bucket.beginUpload("db/t/foreign");
    Path scratch = Path.of(bucket.hiveWorkDir().toUri().getPath());
    Files.createDirectories(scratch);
    Files.setPosixFilePermissions(scratch, PosixFilePermissions.fromString("rwxrwxrwx"));
    CommandLineRun run = bucket.run("uploads", "abort", "--all", "--now", "--yes", "--json", table);
    assertThat(run.json().path("leftAlone").path(0).path("state").asText()).isEqualTo("unreadable");
    assertThat(run.errorLines()).singleElement().asString().contains(scratch.toString());
    assertThat(keys()).containsExactly("db/t/foreign");
  }

  @Test
  void whatIsUnknownIsAbortedOnceItIsAsOldAsAnAbandonedJob() {
    Instant present = Instant.now();
    assertThat(reasonToKeepUnknown(present, Duration.ofDays(6), "--older-than", "1h"))
        .hasValueSatisfying(reason -> assertThat(reason).contains("zerorename.abandoned.after"));
    assertThat(reasonToKeepUnknown(present, Duration.ofDays(8), "--older-than", "1h")).isEmpty();
    assertThat(reasonToKeepUnknown(present, Duration.ofDays(8), "--older-than", "9d"))
        .contains("not older than 9 d 0 h");
    assertThat(reasonToKeepUnknown(present, Duration.ZERO, "--now")).isEmpty();
  }

  private Optional<String> reasonToKeepUnknown(Instant present, Duration age, String... options) {
    UploadsCommand.AbortUploads command = new UploadsCommand.AbortUploads();
    List<String> typed = new ArrayList<>(List.of(options));
    typed.addAll(List.of("--all", table));
    new CommandLine(command).parseArgs(typed.toArray(String[]::new));
    Instant begun = present.minus(age);
    return command.reasonToKeep(
        new FoundUpload(
            bucket.path("db/t/f"), "id", begun, Optional.empty(), UploadStatus.UNKNOWN, begun),
        Duration.ofDays(7),
        present);
  }

  @Test
  void whatIsUnknownIsNotAbortedWithoutAnAge() {
    for (List<String> age : List.of(List.<String>of(), List.of("--older-than", "0m"))) {
      List<String> typed = new ArrayList<>(List.of("uploads", "abort", "--all", "--yes", table));
      typed.addAll(age);
      CommandLineRun run = bucket.run(typed.toArray(String[]::new));
      assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE.number());
      assertThat(run.errorLines()).singleElement().asString().contains("--all needs --older-than");
    }
  }

  @Test
  void aTimeThatIsNoneIsNamed() {
    CommandLineRun run = bucket.run("uploads", "abort", "--older-than", "soon", table);
    assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE.number());
    assertThat(run.errorLines()).singleElement().asString().contains("'soon' is not a time");
  }

  private List<String> keys() {
    return bucket.contents().pendingUploads("").stream().map(PendingUpload::key).toList();
  }
}
