package io.zerorename.core.commit;

import static io.zerorename.core.commit.SimulatedCluster.PREFIX;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.zerorename.core.commit.Fault.Kind;
import io.zerorename.core.commit.SimulatedJob.Told;
import io.zerorename.core.recovery.Recovered;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.hadoop.fs.Path;

/** What must be so while a job runs in which calls go wrong, and afterwards. */
final class FaultChecks {
  private final FaultSetting setting;
  private final Set<Kind> faults;
  private final String id;
  private final SimulatedCluster cluster;
  private final Set<String> before;
  private final Set<String> after;

  /** What the job makes visible; looked at after each step. */
  private final Set<String> made;

  /** What a later job makes visible that overwrites the table. */
  private Optional<Set<String>> madeLater = Optional.empty();

  private String laterId = "";

  /** Kept, because the code under test takes every error for a failed call. */
  private Optional<String> violation = Optional.empty();

  /**
   * Checks of a job that has not begun.
   *
   * @param made what it makes visible
   */
  FaultChecks(
      FaultSetting setting,
      Collection<Kind> faults,
      String id,
      SimulatedCluster cluster,
      Set<String> made) {
    this.setting = setting;
    this.faults = Set.copyOf(faults);
    this.id = id;
    this.cluster = cluster;
    this.made = made;
    this.before = table();
    this.after = new TreeSet<>(before);
    after.removeIf(object -> setting.job().replaced().contains(keyOf(object)));
    setting.job().markers().forEach(key -> after.add(key + "="));
    after.addAll(made);
  }

  private static String keyOf(String object) {
    return object.substring(0, object.lastIndexOf('='));
  }

  boolean isCommitted() {
    return cluster.isCommitted(id);
  }

  private Set<String> table() {
    Set<String> objects = cluster.table();
    // MapReduce's engine removes its own directory.
    objects.removeIf(object -> object.startsWith(PREFIX + "_temporary/"));
    return objects;
  }

  /** A later job is about to overwrite the table. */
  void overwriting(String laterJob, Set<String> madeByLaterJob) {
    laterId = laterJob;
    madeLater = Optional.of(madeByLaterJob);
  }

  /** P1 and P4, at every moment. */
  void step(Calls.Call call) {
    if (!call.store() || !call.changes()) {
      return;
    }
    Set<String> now = table();
    if (made.stream().anyMatch(now::contains) && !isCommitted()) {
      violated("visible before the decision, after " + call.what());
    }
    if (madeLater.isEmpty()) {
      boolean complete = now.containsAll(made) && isCommitted();
      for (String object : before) {
        boolean may = complete && setting.job().replaced().contains(keyOf(object));
        if (!may && !now.contains(object)) {
          violated(object + " is gone too early, after " + call.what());
        }
      }
    }
  }

  private void violated(String property) {
    violation = Optional.of(violation.orElse(property));
  }

  /** What was not so after a step. */
  Optional<String> violation() {
    return violation;
  }

  /** Of a recovery: it has failed at nothing. */
  static void recovered(List<Recovered> results) {
    for (Recovered result : results) {
      if (!(result instanceof Recovered.Completed)) {
        throw new AssertionError("recovery says: " + result);
      }
    }
  }

  /** Another recovery finds nothing to do. */
  static void nothingChanges(SimulatedCluster cluster, boolean clusterGone) throws IOException {
    // A process that died while it resumed an entry has left one, which is closed by the next.
    new SimulatedRecovery(cluster.undisturbed(), clusterGone).run();
    List<String> snapshot = cluster.snapshot();
    List<String> changes = new ArrayList<>();
    SimulatedCluster.View watched =
        cluster
        .new View(
            Calls.between(
                call -> {
                  if (call.changes()) {
                    changes.add(call.what());
                  }
                },
                call -> {}));
    List<Recovered> results = new SimulatedRecovery(watched, clusterGone).run();
    if (!results.isEmpty() || !changes.isEmpty() || !cluster.snapshot().equals(snapshot)) {
      throw new AssertionError(
          "another recovery has something to do: " + results + ", and changes " + changes);
    }
  }

  /** P8: what the engine tells its user is so. */
  void told(Told told, SimulatedJob job) {
    Set<String> now = table();
    switch (told) {
      case COMMITTED, COMMITTED_OPEN -> {
        if (madeLater.isEmpty() && !now.equals(after)) {
          throw new AssertionError(told + ", but there is " + now + ", not " + after);
        }
        if (!isCommitted()) {
          throw new AssertionError(told + " without a decision");
        }
      }
      case FAILED, FAILED_UNSWEPT -> {
        if (madeLater.isEmpty() && !now.equals(before)) {
          throw new AssertionError(told + ", but there is " + now + ", not " + before);
        }
        if (isCommitted()) {
          throw new AssertionError(told + " and decided to commit: " + job.failure());
        }
      }
      case UNKNOWN -> {
        if (faults.stream().allMatch(Kind::stalls)) {
          throw new AssertionError("nothing failed, and " + job.failure());
        }
      }
      case WRONGLY_FAILED ->
          throw new AssertionError("committed, and told to have failed: " + job.failure());
      case DAMAGED -> throw new AssertionError("no upload has vanished: " + job.failure());
    }
  }

  /**
   * Once everything has come to its end.
   *
   * @param recovered whether there was something to recover
   * @param struck the calls that went wrong
   */
  void end(Optional<Told> told, boolean recovered, List<String> struck) throws IOException {
    Set<String> expected =
        madeLater.isPresent() ? afterOverwrite() : isCommitted() ? after : before;
    Set<String> now = table();
    if (madeLater.isPresent()) {
      // A committer that wakes up late may keep a directory in existence once more.
      now.removeIf(object -> object.endsWith("/="));
    }
    if (!now.equals(expected)) {
      throw new AssertionError(
          told + " and " + cluster.decision(id) + ": there is " + now + ", not " + expected);
    }
    if (!"other".equals(new String(cluster.store.content("w/other/file"), UTF_8))) {
      throw new AssertionError("another table's file was changed");
    }
    Set<String> partitions = new HashSet<>();
    if (isCommitted()) {
      setting.job().writes(id).forEach(path -> partitions.add(path.getParent().getName()));
    }
    if (madeLater.isEmpty() && !cluster.partitions.equals(partitions)) {
      throw new AssertionError("partitions are " + cluster.partitions + ", not " + partitions);
    }
    List<String> open = new SimulatedRecovery(cluster.undisturbed(), false).recovery().open();
    if (!open.isEmpty()) {
      throw new AssertionError("not ended: " + open);
    }
    List<String> pending = new ArrayList<>(cluster.pending());
    if (!pending.remove(PREFIX + "foreign")) {
      throw new AssertionError("somebody else's upload was aborted");
    }
    if (recovered && faults.stream().noneMatch(Kind::isLate)) {
      // The plan tells the recovery of these, whatever else is lost.
      List<String> known = new ArrayList<>(pending);
      if (setting.job().plainNames()) {
        // The attempt that was not chosen has written to a key of the plan.
        known.remove(SimulatedCluster.nameOf(setting.job().loses(id)));
      }
      for (Path path : setting.job().writes(id)) {
        if (known.contains(SimulatedCluster.nameOf(path))) {
          throw new AssertionError(told + ": an upload of the plan is pending: " + path);
        }
      }
    }
    if (!pending.isEmpty() && mustBeSwept(told, recovered, struck)) {
      throw new AssertionError(told + ": uploads are pending: " + pending);
    }
  }

  /** Both are executed in the order of their numbers. */
  private Set<String> afterOverwrite() {
    Set<String> expected = new TreeSet<>();
    for (String object : before) {
      String below =
          object.substring(
              (object.startsWith(PREFIX) ? PREFIX : SimulatedCluster.ELSEWHERE_PREFIX).length());
      if ((below.startsWith("_") || below.startsWith(".")) && !object.endsWith("/=")) {
        expected.add(object);
      }
    }
    expected.addAll(madeLater.orElseThrow());
    if (isCommitted()
        && cluster.decision(id).orElseThrow().number()
            > cluster.decision(laterId).orElseThrow().number()) {
      Set<Path> directories =
          setting
              .job()
              .overwrite()
              .directories(
                  setting.job().writes(id).stream()
                      .map(Path::getParent)
                      .collect(Collectors.toSet()));
      expected.removeIf(
          object ->
              directories.stream()
                  .anyMatch(
                      it -> {
                        String prefix = SimulatedCluster.nameOf(it) + "/";
                        return object.startsWith(prefix)
                            && !object.substring(prefix.length()).startsWith("_");
                      }));
      expected.addAll(made);
    }
    return expected;
  }

  /** P3, as far as it can be kept. */
  private boolean mustBeSwept(Optional<Told> told, boolean recovered, List<String> struck) {
    if (!setting.variant().listsUploadsByPrefix() || setting.job().plainNames()) {
      // Of a writer that has left no manifest nobody knows the ids.
      return false;
    }
    // Nobody looks twice: where the sweep itself is struck, or before a Create that comes late.
    boolean late =
        faults.stream().anyMatch(Kind::isLate)
            && struck.stream().anyMatch(it -> it.contains("CREATE_UPLOAD"));
    return !late
        && struck.size() <= 1
        && (recovered || struck.isEmpty() || told.filter(Told.FAILED::equals).isPresent());
  }
}
