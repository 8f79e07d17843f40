package io.zerorename.magic.tool;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.commit.CommitLog;
import io.zerorename.core.commit.CommitLogs;
import io.zerorename.core.commit.CommitPlan;
import io.zerorename.core.commit.CommitSettings;
import io.zerorename.core.commit.JobDirectory;
import io.zerorename.core.commit.OutputJob;
import io.zerorename.core.commit.Recovered;
import io.zerorename.core.commit.Recovery;
import io.zerorename.core.commit.RecoveryEngine;
import io.zerorename.core.commit.WorkDirectory;
import io.zerorename.core.config.CoreKeys;
import io.zerorename.core.config.S3AFileSystems;
import io.zerorename.core.s3a.S3AObjectStores;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.store.StoreException;
import io.zerorename.magic.job.MapReduceKeys;
import io.zerorename.magic.job.SuccessMarker;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.conf.Configured;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;

/**
 * {@code zerorename recover}: brings to their end the commits that were broken off at a table or at
 * a job's destination.
 */
public final class RecoverTool extends Configured implements Tool {
  /** Nothing is open any more. */
  public static final int DONE = 0;

  /** Something is open that was not brought to its end. */
  public static final int LEFT = 1;

  /** The command was not understood. */
  public static final int USAGE = 2;

  /** Something may be under way in another process. */
  public static final int UNDER_WAY = 3;

  private static final String HELP =
      String.join(
          System.lineSeparator(),
          "Usage: zerorename recover [-D key=value ...] [options] <path>",
          "",
          "Ends the commits that were broken off at a table's location or a job's destination: those",
          "that were decided are completed, those that were not are undone. It may be repeated.",
          "",
          "  --now        also those whose process may still be alive, on another machine. Use it when",
          "               you know that it is dead.",
          "  --give-up    ends commits of which files are lost, or whose records were changed: what is",
          "               visible stays, what is lost is listed, and no later job meets them again.",
          "  --job <id>   with --give-up: ends this job's commit as it is, also if it could be completed.",
          "  --also <dir> a directory outside of <path> where its jobs may write, such as a partition's",
          "               own location.",
          "  --without-metastore",
          "               ends commits of Hive's as well, though only Hive's next INSERT can tell the",
          "               metastore of partitions and statistics.",
          "",
          "Decisions that a store could not keep are looked for in zerorename.work.dir; for Hive that is",
          "by default its scratch directory: -D zerorename.work.dir=/tmp/hive",
          "",
          "Exit code: 0 nothing is open any more, 1 something is, 2 usage, 3 something may be under way.");

  /** The attribute of Hive's plans. */
  private static final String TABLE = "hive.table";

  private final PrintStream out;
  private final PrintStream err;

  /** The command, on the process's own streams. */
  public RecoverTool() {
    this(System.out, System.err);
  }

  /** The command, on other streams. */
  public RecoverTool(PrintStream out, PrintStream err) {
    this.out = requireNonNull(out, "out");
    this.err = requireNonNull(err, "err");
  }

  public static void main(String[] arguments) throws Exception {
    System.exit(ToolRunner.run(new Configuration(), new RecoverTool(), arguments));
  }

  @Override
  public int run(String[] arguments) throws IOException {
    boolean now = false;
    boolean giveUp = false;
    boolean metastore = true;
    Optional<String> job = Optional.empty();
    Set<Path> also = new LinkedHashSet<>();
    List<String> paths = new ArrayList<>();
    for (int i = 0; i < arguments.length; i++) {
      switch (arguments[i]) {
        case "--now" -> now = true;
        case "--give-up" -> giveUp = true;
        case "--without-metastore" -> metastore = false;
        case "--also", "--job" -> {
          if (i + 1 == arguments.length) {
            return usage(arguments[i] + " needs a value");
          }
          if (arguments[i].equals("--job")) {
            job = Optional.of(arguments[i + 1]);
          } else {
            also.add(new Path(arguments[i + 1]));
          }
          i++;
        }
        case "--help", "-h" -> {
          out.println(HELP);
          return DONE;
        }
        default -> paths.add(arguments[i]);
      }
    }
    if (paths.size() != 1 || paths.get(0).startsWith("-")) {
      return usage("Give one path, such as s3a://bucket/warehouse/db.db/table");
    }
    if (job.isPresent() && !giveUp) {
      return usage("--job belongs to --give-up");
    }
    Path path = new Path(paths.get(0));
    if (path.toUri().getScheme() == null || !S3AFileSystems.holds(path, getConf())) {
      return usage(path + " is not on S3A");
    }
    also.add(path);
    Duration patience =
        now
            ? Duration.ZERO
            : Duration.ofSeconds(
                CoreKeys.RECOVERY_PATIENCE.from(getConf(), ObjectKeys.bucketOf(path)));
    try (S3AObjectStores stores = new S3AObjectStores(getConf())) {
      Engine engine = new Engine(stores, getConf(), also, metastore);
      return new Run(path, engine, patience, giveUp, job).run();
    }
  }

  private int usage(String problem) {
    err.println(problem + System.lineSeparator() + System.lineSeparator() + HELP);
    return USAGE;
  }

  /** One call of the command. */
  private final class Run {
    private final Path path;
    private final Engine engine;
    private final Duration patience;
    private final boolean giveUp;
    private final Optional<String> job;
    private int code = DONE;
    private boolean found;

    Run(Path path, Engine engine, Duration patience, boolean giveUp, Optional<String> job) {
      this.path = path;
      this.engine = engine;
      this.patience = patience;
      this.giveUp = giveUp;
      this.job = job;
    }

    int run() throws IOException {
      CommitLogs logs = new CommitLogs(engine.stores(), getConf(), Optional.empty());
      tell(recovery(logs.at(logs.inBucket(path))));
      // A partition has the log of its table. What is given up there must be named there.
      for (Path place = path.getParent(); place != null && !giveUp; place = place.getParent()) {
        try {
          tell(recovery(logs.at(logs.inBucket(place))));
        } catch (StoreException e) {
          if (e.kind() != StoreException.Kind.ACCESS_DENIED) {
            throw e;
          }
          // Who may see a table need not see what is above it.
        }
      }
      tellOfClusterFileSystem();
      if (!found) {
        out.println("No commit is open at " + path + ".");
      }
      return code;
    }

    private Recovery recovery(CommitLog log) {
      return new Recovery(
          engine.stores(), log, CommitSettings.from(getConf(), ObjectKeys.bucketOf(path)), engine);
    }

    /** It may be gone, with the cluster. */
    private void tellOfClusterFileSystem() {
      try {
        Optional<WorkDirectory> work = engine.work();
        if (work.isPresent()) {
          CommitLogs logs = new CommitLogs(engine.stores(), getConf(), work);
          tell(recovery(logs.at(logs.onFileSystem(path).orElseThrow())));
        }
      } catch (IOException | RuntimeException e) {
        err.println(
            "Whether a decision is kept on the cluster file system cannot be seen: "
                + e.getMessage());
      }
    }

    private void tell(Recovery recovery) throws IOException {
      List<Recovered> results;
      if (job.isPresent()) {
        results = recovery.giveUp(job.get(), patience).stream().toList();
      } else {
        results = giveUp ? recovery.giveUp(patience) : recovery.retry(patience);
      }
      Set<String> ended = new LinkedHashSet<>();
      for (Recovered result : results) {
        if (result instanceof Recovered.GivenUp) {
          ended.add(result.jobId());
        }
      }
      for (Recovered result : results) {
        tell(result, ended.contains(result.jobId()));
      }
    }

    private void tell(Recovered result, boolean ended) {
      found = true;
      out.println(result.message());
      if (result instanceof Recovered.Completed completed) {
        engine.advise(completed.plan(), out);
      } else if (result instanceof Recovered.Damaged damaged) {
        damaged.lost().forEach(lost -> out.println("  lost: " + lost));
      } else if (result instanceof Recovered.UnderWay) {
        out.println("  If that process is dead, add --now.");
        code = Math.max(code, UNDER_WAY);
      }
      boolean left = result instanceof Recovered.Damaged || result instanceof Recovered.Failed;
      if (left && !ended) {
        code = Math.max(code, LEFT);
      }
    }
  }

  /** Ends a commit as far as that can be done without its engine. */
  private record Engine(
      ObjectStores stores, Configuration conf, Set<Path> allowed, boolean metastore)
      implements RecoveryEngine {
    Optional<WorkDirectory> work() throws IOException {
      Path directory = MapReduceKeys.workDir(conf);
      if (S3AFileSystems.holds(directory, conf)) {
        return Optional.empty();
      }
      WorkDirectory work = WorkDirectory.of(directory, conf);
      return work.exists() ? Optional.of(work) : Optional.empty();
    }

    @Override
    public boolean mayWrite(Path root) {
      return allowed.stream().anyMatch(path -> ObjectKeys.isAtOrBelow(root, path));
    }

    @Override
    public Optional<JobDirectory> records(OutputJob job) throws IOException {
      Optional<WorkDirectory> work = work();
      return work.isPresent() ? work.get().recordsOf(job) : Optional.empty();
    }

    @Override
    public void end(CommitPlan plan) throws IOException {
      if (SuccessMarker.isConcerned(plan)) {
        new SuccessMarker(stores).recovered(plan);
      } else if (metastore && plan.job().attributes().containsKey(TABLE)) {
        throw new IOException(
            "all of its "
                + plan.fileCount()
                + " files are in place; the next INSERT into "
                + plan.job().attributes().get(TABLE)
                + " tells the metastore of partitions and statistics and ends it. Add"
                + " --without-metastore to end it now.");
      }
    }

    void advise(CommitPlan plan, PrintStream out) {
      String table = plan.job().attributes().get(TABLE);
      if (table != null) {
        out.println(
            "  Hive's metastore does not know of it yet: run MSCK REPAIR TABLE "
                + table
                + "; ANALYZE TABLE "
                + table
                + " COMPUTE STATISTICS;");
      }
    }
  }
}
