package io.zerorename.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.zerorename.testing.s3server.BucketContents.PendingUpload;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** {@code zerorename jobs} against a real S3 server. */
class JobsCommandTest extends OnTable {
  @Test
  void eachJobIsShownWithItsStateAndWhatToDo() throws Exception {
    try (WrittenJob complete = new WrittenJob(bucket, "a", "bb").commit();
        WrittenJob aborted = new WrittenJob(bucket, "x").abort();
        WrittenJob running = new WrittenJob(bucket, "c");
        WrittenJob broken = new WrittenJob(bucket, "d", "e").commitWithout("e")) {
      CommandLineRun run = bucket.run("jobs", "--json", table);

      assertThat(run.exitCode()).as(run.err()).isEqualTo(ExitCode.FOUND.number());
      Map<String, JsonNode> jobs = new HashMap<>();
      run.json().path("jobs").forEach(job -> jobs.put(job.path("job").asText(), job));
      assertThat(jobs).containsOnlyKeys(complete.id(), aborted.id(), running.id(), broken.id());
      JsonNode ended = jobs.get(complete.id());
      assertThat(ended.path("state").asText()).isEqualTo("complete");
      assertThat(ended.path("files").asInt()).isEqualTo(2);
      assertThat(ended.path("bytes").asInt()).isEqualTo(3);
      assertThat(ended.has("next")).isFalse();
      assertThat(jobs.get(aborted.id()).path("state").asText()).isEqualTo("aborted");
      assertThat(jobs.get(running.id()).path("state").asText()).isEqualTo("begun");
      assertThat(jobs.get(running.id()).path("next").asText())
          .contains("uploads abort --now --yes " + table, "every job of this user");
      JsonNode open = jobs.get(broken.id());
      assertThat(open.path("state").asText()).isEqualTo("committed");
      assertThat(open.path("description").asText()).isEqualTo("INSERT INTO db.t");
      assertThat(open.path("files").asInt()).isEqualTo(2);
      assertThat(open.path("next").asText()).contains("zerorename recover " + table);

      CommandLineRun text = bucket.run("jobs", "--limit", "0", table + "/p=1");
      assertThat(text.exitCode()).isEqualTo(ExitCode.FOUND.number());
      assertThat(text.out())
          .contains("committed, open", broken.id(), running.id())
          .doesNotContain(complete.id(), aborted.id());
    }
  }

  @Test
  void theLimitIsOfAllLogsTogetherAndTheLatestComeFirst() throws Exception {
    try (WrittenJob first = new WrittenJob(bucket, "a").commit();
        WrittenJob second = WrittenJob.withLogOnFileSystem(bucket, "b").commit();
        WrittenJob third = new WrittenJob(bucket, "c").commit()) {
      List<JsonNode> all = jobs("3");
      assertThat(all)
          .extracting(job -> job.path("job").asText())
          .containsExactlyInAnyOrder(first.id(), second.id(), third.id());
      assertThat(all)
          .extracting(job -> Instant.parse(job.path("when").asText()))
          .isSortedAccordingTo(Comparator.reverseOrder());
      assertThat(jobs("2")).isEqualTo(all.subList(0, 2));
      assertThat(jobs("0")).isEmpty();
    }
  }

  private List<JsonNode> jobs(String limit) throws Exception {
    List<JsonNode> jobs = new ArrayList<>();
    bucket.run("jobs", "--json", "--limit", limit, table).json().path("jobs").forEach(jobs::add);
    return jobs;
  }

  @Test
  void lostFilesAreListed() throws Exception {
    try (WrittenJob broken = new WrittenJob(bucket, "d", "e").commitWithout("e")) {
      for (PendingUpload upload : bucket.contents().pendingUploads("")) {
        bucket.abortUpload(upload);
      }
      CommandLineRun first = bucket.run("recover", "--now", table);
      assertThat(first.exitCode()).isEqualTo(ExitCode.FOUND.number());
      assertThat(first.out())
          .contains("may still be joining their parts", "  missing: " + broken.path("e"));
      JsonNode again = bucket.run("recover", "--json", table).json().path("commits").path(0);
      assertThat(again.path("result").asText()).isEqualTo("missing");
      assertThat(again.path("missing").path(0).asText()).isEqualTo(broken.path("e").toString());
      CommandLineRun early = bucket.run("jobs", table);
      assertThat(early.exitCode()).isEqualTo(ExitCode.FOUND.number());
      assertThat(early.out())
          .contains("files missing", "  missing: " + broken.path("e"), "looks again");
      assertThat(bucket.contents().ageNotesOfMissingFiles()).isOne();
      assertThat(bucket.run("recover", table).exitCode()).isEqualTo(ExitCode.FOUND.number());

      CommandLineRun run = bucket.run("jobs", table);

      assertThat(run.exitCode()).isEqualTo(ExitCode.FOUND.number());
      assertThat(run.out())
          .contains("damaged", "lost: " + broken.path("e"), "recover " + table + " --give-up");
      assertThat(bucket.run("recover", "--now", "--give-up", table).out())
          .containsOnlyOnce(": " + broken.path("e") + System.lineSeparator());
      CommandLineRun after = bucket.run("jobs", table);
      assertThat(after.exitCode()).isEqualTo(ExitCode.OK.number());
      assertThat(after.out()).contains("given up");
    }
  }

  @Test
  void aDestinationWithoutJobsIsSaid() {
    CommandLineRun run = bucket.run("jobs", table);
    assertThat(run.exitCode()).isEqualTo(ExitCode.OK.number());
    assertThat(run.out()).contains("No job is known that wrote to " + table);
  }
}
