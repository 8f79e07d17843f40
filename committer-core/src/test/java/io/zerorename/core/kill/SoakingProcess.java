package io.zerorename.core.kill;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.zerorename.core.commit.CommitReport;
import io.zerorename.core.job.CommitSettings;
import io.zerorename.core.job.JobDirectory;
import io.zerorename.core.manifest.TaskManifest;
import io.zerorename.core.parallel.Pauses;
import io.zerorename.core.recovery.Recovered;
import io.zerorename.core.s3a.S3AObjectStores;
import io.zerorename.testing.Manifests;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.apache.hadoop.fs.Path;

/**
 * One of many processes that work on one table at once, until it is killed: it adds, overwrites and
 * truncates, and says what it was told, see {@link SoakStatement}. After some jobs it completes
 * what others have left, as Hive does in the background and a MapReduce job after its end.
 */
final class SoakingProcess {
  /** The default of zerorename.recovery.patience. */
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  /** A Complete at this server takes at most as long, also where it has to wait for a processor. */
  static final CommitSettings SETTINGS =
      new CommitSettings(2, 512, Duration.ofSeconds(10), Pauses::pause);

  private final TableJobs jobs;
  private final Path table;
  private final java.nio.file.Path notes;
  private final Random random;
  private final PrintStream out;

  private SoakingProcess(
      TableJobs jobs, Path table, java.nio.file.Path notes, Random random, PrintStream out) {
    this.jobs = jobs;
    this.table = table;
    this.notes = notes;
    this.random = random;
    this.out = out;
  }

  /**
   * Takes settings of Hadoop as {@code key=value}; on its input the table, a local directory, its
   * own name, the seed of its choices and whether it overwrites small files.
   */
  public static void main(String[] arguments) throws IOException {
    PrintStream out = System.out;
    // Logs go there.
    System.setOut(System.err);
    S3AObjectStores stores = new S3AObjectStores(CommittingProcess.configuration(arguments));
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, UTF_8));
    Path table = new Path(in.readLine());
    java.nio.file.Path directory = java.nio.file.Path.of(in.readLine());
    String name = in.readLine();
    Random random = new Random(Long.parseLong(in.readLine()));
    boolean overwritesSmall = Boolean.parseBoolean(in.readLine());
    CommittingProcess.endWith(in);
    SoakingProcess process =
        new SoakingProcess(
            new TableJobs(stores, table, jobsIn(directory), SETTINGS),
            table,
            directory,
            random,
            out);
    for (int number = 1; true; number++) {
      process.run(SoakJob.any(name + "-" + number, random, overwritesSmall));
    }
  }

  /** Where the records of jobs lie, as below any work directory. */
  static Path jobsIn(java.nio.file.Path directory) {
    return new Path(directory.resolve("jobs").toUri());
  }

  private void run(SoakJob job) throws IOException {
    out.println(SoakStatement.begun(job));
    boolean open = true;
    try {
      if (job.kind() == SoakJob.Kind.TRUNCATE) {
        out.println(SoakStatement.done(job, truncate(job)));
      } else {
        CommitReport report = commit(job);
        out.println(SoakStatement.done(job, report.open().map(commit -> commit.number())));
        open = !report.openEntries().isEmpty();
      }
    } catch (IOException e) {
      out.println(SoakStatement.failed(job, e));
    }
    if (open && random.nextInt(3) == 0) {
      // Sometimes as an operator does, who does not wait.
      Duration patience = random.nextInt(10) == 0 ? Duration.ZERO : PATIENCE;
      for (Recovered recovered : jobs.recovery().run(patience)) {
        out.println(SoakStatement.recovered(recovered));
      }
    }
  }

  private CommitReport commit(SoakJob job) throws IOException {
    JobDirectory directory = jobs.begin(job.id());
    if (job.small()) {
      return commit(job, directory, jobs.small(directory, "task-0", job.files()));
    }
    if (random.nextInt(4) == 0) {
      // An attempt that is not chosen.
      jobs.attempt(directory, "task-0-lost", job.losing());
    }
    return commit(job, directory, jobs.attempt(directory, "task-0", job.files()));
  }

  private CommitReport commit(SoakJob job, JobDirectory directory, TaskManifest manifest)
      throws IOException {
    return jobs.commit(directory, Manifests.of(List.of(manifest)), job.overwrite(table));
  }

  /** Notes what it is going to delete before it deletes: see {@link TruncateNote}. */
  private Optional<Long> truncate(SoakJob job) throws IOException {
    List<Path> directories = job.directories().stream().map(name -> new Path(table, name)).toList();
    long before = jobs.log().tail().highest();
    Truncate truncate = jobs.truncate(job.id(), directories);
    List<String> keys = truncate.list();
    new TruncateNote(job.id(), before, job.directories(), keys).writeIn(notes);
    truncate.delete(keys);
    return truncate.end();
  }
}
