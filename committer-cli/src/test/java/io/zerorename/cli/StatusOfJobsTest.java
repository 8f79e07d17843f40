package io.zerorename.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;

/** What {@code zerorename status} says of single jobs, against a real S3 server. */
class StatusOfJobsTest extends OnTable {
  @Test
  void eachJobIsShownWithItsStateAndWhatToDo() throws Exception {
    WrittenJob complete = new WrittenJob(bucket, "a", "bb").commit();
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
    assertThat(ended.hasNonNull("next")).isFalse();
    assertThat(jobs.get(aborted.id()).path("state").asText()).isEqualTo("aborted");
    assertThat(jobs.get(aborted.id()).path("entry").asInt()).isEqualTo(2);
    JsonNode open = jobs.get(broken.id());
    assertThat(open.path("entry").asInt()).isEqualTo(3);
    assertThat(open.path("state").asText()).isEqualTo("committed");
    assertThat(open.path("description").asText()).isEqualTo("INSERT INTO db.t");
    assertThat(open.path("files").asInt()).isEqualTo(2);
    assertThat(open.path("next").asText()).contains("zerorename recover " + table);

    CommandLineRun text = bucket.run("status", table + "/p=1");
    assertThat(text.exitCode()).isEqualTo(ExitCode.FOUND.number());
    assertThat(text.out())
        .contains("committed, open", "Entry 3, job " + broken.id())
        .doesNotContain(complete.id(), aborted.id(), running.id());
  }

  @Test
  void theRunOfAJobIsShown() throws Exception {
    WrittenJob job = new WrittenJob(bucket, "a").ofRun("today").commit();
    new WrittenJob(bucket, "b").commit();
    assertThat(jobs("2"))
        .extracting(it -> it.path("run").asText(null))
        .containsExactlyInAnyOrder("today", null);
    assertThat(bucket.run("status", "--ended", "2", table).out())
        .contains(job.id() + " (run today)")
        .containsOnlyOnce("(run ");
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

  /** The files that it replaces stay until an operator has decided. */
  @Test
  void anOverwriteThatLostAFileIsLeftToAnOperator() throws Exception {
    WrittenJob old = new WrittenJob(bucket, "o").commit();
    WrittenJob damaged = new WrittenJob(bucket, "d", "e").replacing().commitLosing("e");

    ImpatientRecovery recovery = new ImpatientRecovery(bucket);
    CommandLineRun recovered = recovery.run();
    assertThat(recovered.exitCode()).as(recovered.err()).isEqualTo(ExitCode.FOUND.number());
    assertThat(recovered.out())
        .contains("(entry 2) has lost files (1)", "  lost: " + damaged.path("e"), "--give-up");
    assertThat(bucket.contents().files("db/t/"))
        .containsExactlyInAnyOrder(old.key("o"), damaged.key("d"));

    CommandLineRun left = bucket.run("status", table);
    assertThat(left.exitCode()).isEqualTo(ExitCode.FOUND.number());
    assertThat(left.out())
        .contains("left to an operator", "  lost: " + damaged.path("e"))
        .contains("recover " + table + " --give-up ends it without the lost ones");

    assertThat(bucket.run("recover", "--dry-run", table).out())
        .contains("would be refused: files of it are lost (1). To end it without them: ")
        .endsWith("zerorename recover " + table + " --give-up\n");

    CommandLineRun ended = recovery.giveUp();
    assertThat(ended.exitCode()).as(ended.out()).isEqualTo(ExitCode.OK.number());
    assertThat(ended.out())
        .contains("Entry 2 of job " + damaged.id() + " was given up")
        .doesNotContain("--give-up")
        .containsOnlyOnce(": " + damaged.path("e") + System.lineSeparator());
    assertThat(bucket.contents().files("db/t/")).containsExactly(damaged.key("d"));
    CommandLineRun after = bucket.run("status", "--ended", "50", table);
    assertThat(after.exitCode()).isEqualTo(ExitCode.OK.number());
    assertThat(after.out()).contains("given up", "  lost: " + damaged.path("e"));
  }

  @Test
  void theCommandForItNamesItsDirectoriesOutsideOfTheTable() throws Exception {
    Path elsewhere = bucket.path("elsewhere/p=1");
    new WrittenJob(bucket, "a", "b").writingAlsoTo(elsewhere).commitWithout("b");

    assertThat(jobs("0").get(0).path("next").asText())
        .contains("zerorename recover --also " + elsewhere + " " + table + " completes it");
    CommandLineRun run = bucket.run("recover", "--also", elsewhere.toString(), table);
    assertThat(run.exitCode()).as(run.out()).isEqualTo(ExitCode.OK.number());
  }

  @Test
  void whatALaterOverwriteHasReplacedNeedsNothing() throws Exception {
    WrittenJob broken = new WrittenJob(bucket, "a", "b").commitWithout("b");
    WrittenJob later = new WrittenJob(bucket, "c").replacing().commit();

    CommandLineRun run = bucket.run("status", "--ended", "50", table);
    assertThat(run.exitCode()).as(run.out()).isEqualTo(ExitCode.OK.number());
    assertThat(run.out()).contains("replaced by a later job", broken.id());
    assertThat(bucket.run("recover", table).out()).contains("No commit is open at " + table);
    assertThat(bucket.contents().files("db/t/")).containsExactly(later.key("c"));
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
    assertThat(job.path("job").isNull()).isTrue();
    assertThat(job.path("problem").asText()).contains(entry);
    assertThat(job.path("next").asText()).contains("recover " + table + " --give-up");

    CommandLineRun failed = bucket.run("recover", "--json", table);
    assertThat(failed.exitCode()).isEqualTo(ExitCode.FOUND.number());
    JsonNode commit = failed.json().at("/commits/0");
    assertThat(commit.path("result").asText()).isEqualTo("failed");
    assertThat(commit.path("job").isNull()).isTrue();
    assertThat(commit.path("next")).isEqualTo(job.path("next"));
    CommandLineRun early = bucket.run("recover", "--give-up", table);
    assertThat(early.exitCode()).isEqualTo(ExitCode.FOUND.number());
    assertThat(early.out()).contains("Run the command again 22 minutes after");
    assertThat(bucket.contents().files("db/t/")).containsExactly(broken.key("a"));
  }
}
