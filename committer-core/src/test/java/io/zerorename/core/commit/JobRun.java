package io.zerorename.core.commit;

import static io.zerorename.core.commit.SimulatedCluster.PREFIX;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.zerorename.core.commit.SimulatedJob.Told;
import io.zerorename.core.recovery.Recovered;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.fs.Path;

/** Runs one job in which calls go wrong, from its setup to its end. */
final class JobRun extends FaultRun {
  private static final String OTHERS_FILE = "w/other/file";
  private static final String OTHERS_UPLOAD = PREFIX + "foreign";

  private final FaultSetting setting;
  private final JobKind job;
  private final List<Fault> faults;
  private boolean tasksDone;

  JobRun(FaultSetting setting, List<Fault> faults) {
    super(
        setting,
        faults,
        setting.job().there(),
        setting.job().isInTwoBuckets() ? JobKind.TWO_BUCKETS_OVERWRITE : JobKind.OVERWRITE_TABLE);
    this.setting = setting;
    this.job = setting.job();
    this.faults = faults;
  }

  @Override
  Map<String, List<Path>> writes() {
    return Map.of(id, job.writes(id));
  }

  @Override
  void prepare() throws IOException {
    cluster.store.plant(OTHERS_FILE, "other".getBytes(UTF_8));
    cluster.store.createUpload(OTHERS_UPLOAD, Map.of());
  }

  @Override
  Told act(SimulatedCluster.View view, boolean again) {
    SimulatedJob run = new SimulatedJob(cluster, view, job, id);
    if (again) {
      return run.commit(true);
    }
    try {
      return run.run();
    } finally {
      tasksDone = run.tasksDone();
    }
  }

  @Override
  boolean isJob() {
    return true;
  }

  @Override
  boolean mayBeRestarted() {
    return tasksDone;
  }

  @Override
  void checkDone() {
    checkDone(job);
  }

  @Override
  void checkUndisturbed() {
    // What is said and what is there are those of any run.
  }

  @Override
  void runAgain() {
    // The engine does not know that it could.
  }

  @Override
  boolean mayBeSaid(Recovered result) {
    return result instanceof Recovered.Completed;
  }

  @Override
  void checkEnd(Optional<Told> told, boolean recovered) {
    if (!"other".equals(new String(cluster.store.content(OTHERS_FILE), UTF_8))) {
      throw new AssertionError("another table's file was changed");
    }
    if (cluster.isCommitted(id)
        && !isOverwritten()
        && !cluster.names().containsAll(job.markers())) {
      throw new AssertionError("there is not each of " + job.markers());
    }
    List<String> pending = new ArrayList<>(cluster.pending());
    if (!pending.remove(OTHERS_UPLOAD)) {
      throw new AssertionError("somebody else's upload was aborted");
    }
    if (recovered && !mayBeLate()) {
      // The plan tells the recovery of these, whatever else is lost.
      List<String> known = new ArrayList<>(pending);
      if (job.plainNames()) {
        // The attempt that was not chosen has written to a key of the plan.
        known.remove(SimulatedCluster.nameOf(job.loses(id)));
      }
      for (Path path : job.writes(id)) {
        if (known.contains(SimulatedCluster.nameOf(path))) {
          throw new AssertionError(told + ": an upload of the plan is pending: " + path);
        }
      }
    }
    if (!pending.isEmpty() && mustBeSwept(told, recovered)) {
      throw new AssertionError(told + ": uploads are pending: " + pending);
    }
  }

  private boolean mayBeLate() {
    return faults.stream().anyMatch(fault -> fault.kind().isLate());
  }

  /** P3, as far as it can be kept. */
  private boolean mustBeSwept(Optional<Told> told, boolean recovered) {
    if (!setting.variant().listsUploadsByPrefix() || job.plainNames()) {
      // Of a writer that has left no manifest nobody knows the ids.
      return false;
    }
    // Nobody looks twice: where the sweep itself is struck, or before a Create that comes late.
    List<String> struck = calls.struck();
    boolean late = mayBeLate() && struck.stream().anyMatch(it -> it.contains("CREATE_UPLOAD"));
    return !late
        && struck.size() <= 1
        && (recovered || struck.isEmpty() || told.filter(Told.FAILED::equals).isPresent());
  }
}
