package io.zerorename.core.commit;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.EndNote;
import io.zerorename.core.log.EntryKind;
import io.zerorename.core.log.LogEntry;
import io.zerorename.core.log.OutputJob;
import io.zerorename.core.log.PlanChunk;
import io.zerorename.core.store.RequestType;
import io.zerorename.testing.InMemoryObjectStore;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every figure of a commit is in its line, and none that means nothing. */
class CommitReportTest {
  private final InMemoryObjectStore logs = new InMemoryObjectStore("logs");

  private CommitReport report(
      EndNote made, int aborted, boolean decidedBefore, Map<CommitStage, Duration> stages) {
    CommitLog log = new CommitLog(logs, TestJob.LOG);
    LogEntry entry =
        new LogEntry(
            1,
            EntryKind.ADD,
            "write",
            new OutputJob("job", "INSERT", List.of(TestJob.TABLE)),
            List.of(),
            List.of(),
            new TreeSet<>(),
            new TreeSet<>(),
            List.of(),
            new PlanChunk(List.of(), List.of(), List.of()));
    return new CommitReport(
        Optional.empty(),
        log,
        entry,
        made,
        aborted,
        decidedBefore,
        Optional.empty(),
        List.of(),
        false,
        stages);
  }

  @Test
  void figuresTimesAndRatesAreInOneLine() {
    CommitReport report =
        report(
            new EndNote(300, 6_000_000, 20, List.of()),
            1,
            false,
            Map.of(
                CommitStage.COMPLETE,
                Duration.ofMillis(1_400),
                CommitStage.PLAN,
                Duration.ofMillis(100)));

    assertThat(
            report.line(
                "INSERT INTO default.t",
                Map.of(RequestType.LIST, 2L, RequestType.PUT, 303L, RequestType.GET, 1L)))
        .isEqualTo(
            "committed INSERT INTO default.t: 300 files, 6000000 bytes, 20 old files"
                + " replaced, 1 uploads aborted, 306 S3 requests (put 303, get 1, list 2), 1.500 s"
                + " (plan 0.100, complete 1.400), 200.0 files/s, 4.0 MB/s");
  }

  @Test
  void commitThatWasAtItsEndBeforeHasNoRate() {
    CommitReport report = report(new EndNote(3, 30, 0, List.of()), 0, true, Map.of());

    assertThat(report.line("The output of job_1 to s3a://b/out", Map.of()))
        .isEqualTo(
            "committed the output of job_1 to s3a://b/out: 3 files, 30 bytes, 0 old"
                + " files replaced, 0 uploads aborted, 0 S3 requests, decided by an earlier"
                + " attempt");
  }

  @Test
  void stagesTheJobAndItsEntryAreThoseOfTheCommit(@TempDir Path directory) throws IOException {
    InMemoryObjectStore store = new InMemoryObjectStore("bucket");
    TestJob job = TestJob.withLogIn(logs, store, directory, "job-1");
    job.task("a", "day=1/0", "day=2/0");

    assertThat(job.insert().line("INSERT INTO default.t", store.requests()))
        .matches(
            "committed INSERT INTO default\\.t: 2 files, 14 bytes, .*complete upload 2.* s \\(read"
                + " log [0-9.]+, load manifests [0-9.]+, plan [0-9.]+, write plan [0-9.]+, decide"
                + " [0-9.]+, complete [0-9.]+, replace [0-9.]+, publish [0-9.]+, clean up"
                + " [0-9.]+\\), [0-9.]+ files/s, [0-9.]+ MB/s, job job-1, entry 1");
  }
}
