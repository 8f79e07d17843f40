package io.zerorename.core.commit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.core.document.TaskManifest;
import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.LogTail;
import io.zerorename.core.log.PlanWriter;
import io.zerorename.core.parallel.Workers;
import io.zerorename.core.recovery.Recovery;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.upload.MultipartUploads;
import io.zerorename.core.upload.PendingUpload;
import io.zerorename.core.upload.UploadStream;
import io.zerorename.testing.BeforeRequest;
import io.zerorename.testing.Manifests;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;

/** The sweep of an entry of plain names, beside the end of that entry and a job behind it. */
class PlainNamesSweepTest extends TimedCommits {
  /** The first give-up has seen that the entry is open, and sleeps before it aborts. */
  @Test
  void aGiveUpThatSleepsDoesNotTakeTheFileOfALaterJob() throws IOException {
    PendingUpload lost = write(job);
    decide(job, lost);
    store.loseUpload(lost.key(), lost.uploadId());
    TestJob later = job("job-2");
    PendingUpload file = write(later);
    AtomicBoolean isDecided = new AtomicBoolean();
    ObjectStore slow =
        BeforeRequest.of(
            store,
            "abortUpload",
            () -> {
              if (isSweeping() && !isDecided.getAndSet(true)) {
                recovery().giveUp();
                decide(later, file);
              }
            });
    new Recovery(
            path -> slow,
            new CommitLog(stores, TestJob.LOG),
            job.settings().sleeping(this::pass),
            new Engine())
        .giveUp();
    if (!isDecided.get()) {
      decide(later, file);
    }
    recovery().run(NOW);
    assertThat(data()).containsExactly(file.key());
    assertThat(store.content(file.key())).asString(UTF_8).isEqualTo(later.id());
  }

  /** The give-up itself aborts one upload before. */
  private int aborts;

  private boolean isSweeping() {
    return ++aborts > 1;
  }

  private static PendingUpload write(TestJob of) throws IOException {
    of.withPlainNames().settlingFor(Duration.ZERO);
    try (MultipartUploads uploads = of.uploads("a")) {
      UploadStream stream = uploads.open(new Path(TestJob.TABLE, "part-0"));
      stream.write(of.id().getBytes(UTF_8));
      stream.close();
      return (PendingUpload) stream.file();
    }
  }

  /** With all checks that a job does before. */
  private void decide(TestJob of, PendingUpload file) throws IOException {
    LogTail tail = of.log().tail();
    CommitRequest request =
        new CommitRequest(
            of.outputJob(),
            Manifests.of(List.of(TaskManifest.of(of.id(), "a", List.of(file)))),
            Overwrite.directory(TestJob.TABLE),
            Optional.of(of.log().now()));
    new FindDecision(of.log(), request).refuseBesideOpenEntries(tail);
    Workers workers = of.settings().workers();
    PlanWriter plan = of.log().newPlan(request.job());
    NewFiles files =
        NewFiles.load(stores, request, new SmallFiles(stores, of.directory()), plan, workers);
    Set<Path> replaced = Set.of(TestJob.TABLE);
    new ListReplaced(stores, request, files, plan, workers).run(replaced);
    plan.writeRest();
    files.refuseVanished(workers);
    of.log().decide(plan.draft(files.scope(), replaced, new TreeSet<>()), tail);
  }
}
