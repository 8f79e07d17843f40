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
import io.zerorename.core.s3a.S3AFileSystems;
import io.zerorename.core.s3a.S3AObjectStores;
import io.zerorename.core.store.ObjectStores;
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
          "Usage: zerorename recover [-D key=value ...] [--now] [--give-up] [--also <dir>] <path>",
          "",
          "Ends the commits that were broken off at a table's location or a job's destination: those",
          "that were decided are completed, those that were not are undone. It may be repeated.",
          "",
          "  --now        also those whose process may still be alive, on another machine. Use it when",
          "               you know that it is dead.",
          "  --give-up    ends commits of which files are lost, or whose plan cannot be read: what is",
          "               visible stays, what is lost is listed, and no later job meets them again.",
          "  --also <dir> a directory outside of <path> where its jobs may write, such as a partition's",
          "               own location.",
          "",
          "Exit code: 0 nothing is open any more, 1 something is, 2 usage, 3 something may be under way.");

  private final PrintStream out;
  private final PrintStream err;

  /** The command, on the process's own streams. */
  public RecoverTool() {
    this(System.out, System.err);
  }

  RecoverTool(PrintStream out, PrintStream err) {
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
    Set<Path> also = new LinkedHashSet<>();
    List<String> paths = new ArrayList<>();
    for (int i = 0; i < arguments.length; i++) {
      switch (arguments[i]) {
        case "--now" -> now = true;
        case "--give-up" -> giveUp = true;
        case "--also" -> {
          if (++i == arguments.length) {
            return usage("--also needs a directory");
          }
          also.add(new Path(arguments[i]));
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
    Path path = new Path(paths.get(0));
    if (path.toUri().getScheme() == null || !S3AFileSystems.holds(path, getConf())) {
      return usage(path + " is not on S3A");
    }
    also.add(path);
    Duration patience =
        now ? Duration.ZERO : Duration.ofSeconds(CoreKeys.RECOVERY_PATIENCE.from(getConf()));
    try (S3AObjectStores stores = new S3AObjectStores(getConf())) {
      return recover(path, new Engine(stores, getConf(), also), stores, patience, giveUp);
    }
  }

  private int usage(String problem) {
    err.println(problem + System.lineSeparator() + System.lineSeparator() + HELP);
    return USAGE;
  }

  private int recover(
      Path path, Engine engine, ObjectStores stores, Duration patience, boolean giveUp)
      throws IOException {
    List<Recovered> results = new ArrayList<>();
    CommitLogs logs = new CommitLogs(stores, getConf(), engine.work());
    // A partition has the log of its table.
    for (Path place = path; place != null; place = place.getParent()) {
      for (CommitLog log : logs.all(place)) {
        Recovery recovery = new Recovery(stores, log, CommitSettings.from(getConf()), engine);
        results.addAll(giveUp ? recovery.giveUp(patience) : recovery.retry(patience));
      }
    }
    if (results.isEmpty()) {
      out.println("No commit is open at " + path + ".");
    }
    int code = DONE;
    for (Recovered result : results) {
      out.println(result.message());
      if (result instanceof Recovered.Completed completed) {
        engine.advise(completed.plan(), out);
      } else if (result instanceof Recovered.Damaged damaged) {
        damaged.lost().forEach(lost -> out.println("  lost: " + lost));
        if (giveUp) {
          out.println("  It was given up.");
        } else {
          code = Math.max(code, LEFT);
        }
      } else if (result instanceof Recovered.Failed failed) {
        if (giveUp && failed.isUnreadable()) {
          out.println("  It was given up.");
        } else {
          code = Math.max(code, LEFT);
        }
      } else if (result instanceof Recovered.UnderWay) {
        out.println("  If that process is dead, add --now.");
        code = Math.max(code, UNDER_WAY);
      }
    }
    return code;
  }

  /** Ends a commit as far as that can be done without its engine. */
  private record Engine(ObjectStores stores, Configuration conf, Set<Path> allowed)
      implements RecoveryEngine {
    Optional<WorkDirectory> work() throws IOException {
      Path directory = MapReduceKeys.workDir(conf);
      return S3AFileSystems.holds(directory, conf)
          ? Optional.empty()
          : Optional.of(WorkDirectory.of(directory, conf));
    }

    @Override
    public boolean mayWrite(Path root) {
      String text = root.toString();
      return allowed.stream()
          .anyMatch(path -> text.equals(path.toString()) || text.startsWith(path + "/"));
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
      }
    }

    void advise(CommitPlan plan, PrintStream out) {
      String table = plan.job().attributes().get("hive.table");
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
