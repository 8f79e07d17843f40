package io.zerorename.core.scale;

import io.zerorename.core.commit.CommitProgress;
import io.zerorename.core.commit.CommitReport;
import io.zerorename.core.commit.CommitRequest;
import io.zerorename.core.commit.JobCommit;
import io.zerorename.core.commit.Overwrite;
import io.zerorename.core.job.CommitSettings;
import io.zerorename.core.job.JobDirectory;
import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.OutputJob;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * A process with many commits at once, each with a large plan, as of sessions of HiveServer2. They
 * wait for one another until they have the most threads, and again where they keep the most of
 * their plans.
 */
public final class CommitsAtOnce {
  static final int COMMITS = 6;
  static final int THREADS = 128;

  /** In three documents. */
  static final int FILES = THREADS * 10;

  /** As many as all commits have, beside one of each. */
  static final int MOST_FURTHER = 512;

  /** Of each file, so that few of them make a document. */
  private static final int PARTS = 100;

  private final PrintStream out;

  private CommitsAtOnce(PrintStream out) {
    this.out = out;
  }

  /** Takes a directory for the logs. */
  public static void main(String[] arguments) throws Exception {
    CommitsAtOnce program = new CommitsAtOnce(System.out);
    // Logs go there.
    System.setOut(System.err);
    program.run(arguments[0]);
  }

  private void run(String directory) throws Exception {
    CountDownLatch threads = new CountDownLatch(MOST_FURTHER + COMMITS);
    CountDownLatch counted = new CountDownLatch(1);
    CyclicBarrier plans = new CyclicBarrier(COMMITS);
    List<FutureTask<String>> commits = new ArrayList<>();
    for (int i = 0; i < COMMITS; i++) {
      String job = "job-" + i;
      FutureTask<String> commit =
          new FutureTask<>(() -> commit(directory, job, threads, counted, plans));
      commits.add(commit);
      new Thread(commit, job).start();
    }
    threads.await(5, TimeUnit.MINUTES);
    out.println("threads: " + threads());
    counted.countDown();
    for (FutureTask<String> commit : commits) {
      out.println(commit.get());
    }
    out.println("done");
  }

  private static long threads() {
    Thread[] all = new Thread[4 * MOST_FURTHER];
    int count = Thread.enumerate(all);
    return Stream.of(all)
        .limit(count)
        .filter(thread -> thread.getName().startsWith("zerorename-commit-"))
        .count();
  }

  private static String commit(
      String directory,
      String id,
      CountDownLatch threads,
      CountDownLatch counted,
      CyclicBarrier plans)
      throws IOException {
    FileSystem local = FileSystem.getLocal(new Configuration());
    Path work = new Path(new File(directory, id).toURI());
    CommitLog log = LogOnDisk.in(local, new Path(work, "log"));
    MadeUpStore store = new MadeUpStore(THREADS, FILES / THREADS);
    CommitReport report =
        new JobCommit(
                store,
                new JobDirectory(local, new Path(work, id)),
                log,
                CommitSettings.ofThreads(THREADS),
                CommitProgress.NONE)
            .run(
                new CommitRequest(
                    new OutputJob(id, "INSERT INTO db.t", List.of(MillionFiles.TABLE)),
                    (workers, action) -> {
                      workers.forEach(
                          IntStream.range(0, THREADS).boxed().toList(),
                          task -> {
                            threads.countDown();
                            await(threads);
                            await(counted);
                          });
                      workers.forEach(
                          IntStream.range(0, THREADS).boxed().toList(),
                          task ->
                              action.on(MillionFiles.manifest(id, task, FILES / THREADS, PARTS)));
                    },
                    Overwrite.none(),
                    Optional.of(Instant.now()),
                    () -> meet(plans),
                    true,
                    false));
    report.open().orElseThrow().end();
    return "%s: %d files, %d completed, open: %d"
        .formatted(id, report.files(), store.completed(), log.tail().open().size());
  }

  private static void await(CountDownLatch latch) throws IOException {
    try {
      if (!latch.await(5, TimeUnit.MINUTES)) {
        throw new IOException(latch.getCount() + " threads have not begun");
      }
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }

  private static void meet(CyclicBarrier commits) throws IOException {
    try {
      commits.await(5, TimeUnit.MINUTES);
    } catch (InterruptedException | BrokenBarrierException | TimeoutException e) {
      throw new IOException(e);
    }
  }
}
