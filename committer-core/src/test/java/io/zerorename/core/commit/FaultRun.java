package io.zerorename.core.commit;

import static io.zerorename.core.commit.SimulatedCluster.PREFIX;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.zerorename.core.commit.SimulatedJob.Told;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.StoreException;
import io.zerorename.testing.InMemoryObjectStore.Variant;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.apache.hadoop.fs.Path;

/**
 * Runs one job in which calls go wrong, then what later jobs do, and checks what users see at every
 * step.
 */
final class FaultRun {
  /** What goes wrong with a call. */
  enum Kind {
    /** It is refused, and has no effect. */
    REFUSED,
    /** It is lost on its way. */
    LOST_BEFORE,
    /** Its answer is lost. */
    LOST_AFTER,
    /** Its answer is lost, and it takes effect only when the job has ended. */
    LOST_LATE,
    /** The process dies before it. */
    CRASH_BEFORE,
    /** The process dies after it. */
    CRASH_AFTER,
    /** The process dies, and the call takes effect only after the recovery. */
    CRASH_LATE,
    /** Its answer is lost, and it takes effect only when another job has overwritten the table. */
    LOST_LATE_OVERWRITE,
    /**
     * The process dies, and the call takes effect only when another job has overwritten the table.
     */
    CRASH_LATE_OVERWRITE,
    /** The process dies after it, and the next attempt of the job's master commits. */
    CRASH_RESTART,
    /** The process sleeps before it, until others have recovered its job. */
    STALL,
    /** And until another job has overwritten the table. */
    STALL_OVERWRITE;

    boolean crashes() {
      return name().startsWith("CRASH");
    }

    boolean isLate() {
      return name().contains("LATE");
    }

    boolean overwrites() {
      return name().endsWith("OVERWRITE");
    }

    boolean stalls() {
      return name().startsWith("STALL");
    }
  }

  /**
   * A fault.
   *
   * @param step counted from 1 over the calls of the job and of the recovery that follows
   */
  record Fault(int step, Kind kind) {}

  /**
   * Where it runs.
   *
   * @param clusterGone whether the recovery finds nothing of the cluster file system
   */
  record Setting(
      JobKind job, String store, Variant variant, boolean logOnFileSystem, boolean clusterGone) {
    @Override
    public String toString() {
      return job
          + " on "
          + store
          + (logOnFileSystem ? ", log on the file system" : "")
          + (clusterGone ? ", cluster gone" : "");
    }
  }

  /** The end of a process: it makes no further call. */
  private static final class Crash extends Error {
    private static final long serialVersionUID = 1L;

    Crash() {
      super("the process has crashed", null, false, false);
    }
  }

  private static final AtomicInteger NUMBER = new AtomicInteger();

  private final Setting setting;
  private final Map<Integer, Kind> faults;
  private final String id;
  private final String laterId;
  private final SimulatedCluster cluster;
  private final SimulatedCluster.View undisturbed;
  private final List<Calls.Effect<?>> late = new ArrayList<>();
  private final List<String> struck = new ArrayList<>();
  private final Set<String> before;
  private final Set<String> after;

  /** What the job makes visible; looked at after each step. */
  private final Set<String> made;

  /** Kept, because the code under test takes every error for a failed call. */
  private Optional<String> violation = Optional.empty();

  private int steps;
  private boolean overwritten;
  private boolean committedBeforeOverwrite;

  FaultRun(Setting setting, List<Fault> faults) {
    this.setting = setting;
    this.faults = faults.stream().collect(Collectors.toMap(Fault::step, Fault::kind));
    int number = NUMBER.incrementAndGet();
    this.id = "job-" + number + "-a";
    this.laterId = "job-" + number + "-z";
    this.cluster =
        new SimulatedCluster("cluster-" + number, setting.variant(), setting.logOnFileSystem());
    this.undisturbed = cluster.undisturbed();
    for (String key : setting.job().there()) {
      cluster.plant(key, (key.endsWith("/") ? "" : "old").getBytes(UTF_8));
    }
    cluster.store.plant("w/other/file", "other".getBytes(UTF_8));
    this.before = table();
    this.after = new TreeSet<>(before);
    after.removeIf(object -> setting.job().replaced().contains(keyOf(object)));
    setting.job().markers().forEach(key -> after.add(key + "="));
    this.made = job(undisturbed).made();
  }

  private static String keyOf(String object) {
    return object.substring(0, object.lastIndexOf('='));
  }

  /** A crashed process, seen from inside, and one that is yet to crash. */
  private final class Victim implements Calls {
    private boolean dead;

    @Override
    public <T> T make(Call call, Effect<T> effect) throws IOException {
      if (dead) {
        throw new Crash();
      }
      steps++;
      Kind kind = faults.get(steps);
      if (kind == null) {
        return taken(call, effect);
      }
      struck.add(kind + " at step " + steps + ": " + call.what());
      switch (kind) {
        case REFUSED -> throw refused(call);
        case LOST_BEFORE -> throw lost(call);
        case LOST_AFTER -> {
          taken(call, effect);
          throw lost(call);
        }
        case LOST_LATE, LOST_LATE_OVERWRITE -> {
          late.add(effect);
          throw lost(call);
        }
        case CRASH_BEFORE -> {
          dead = true;
          throw new Crash();
        }
        case CRASH_AFTER, CRASH_RESTART -> {
          taken(call, effect);
          dead = true;
          throw new Crash();
        }
        case CRASH_LATE, CRASH_LATE_OVERWRITE -> {
          late.add(effect);
          dead = true;
          throw new Crash();
        }
        case STALL, STALL_OVERWRITE -> {
          othersWork(kind == Kind.STALL_OVERWRITE);
          return taken(call, effect);
        }
      }
      throw new AssertionError(kind);
    }

    private <T> T taken(Call call, Effect<T> effect) throws IOException {
      T result = effect.take();
      if (call.store() && call.changes()) {
        checkStep(call);
      }
      return result;
    }
  }

  private static IOException refused(Calls.Call call) {
    String message = "planned: " + call.what() + " is refused";
    return call.store()
        ? new StoreException(StoreException.Kind.ACCESS_DENIED, message)
        : new IOException(message);
  }

  private static IOException lost(Calls.Call call) {
    String message = "planned: no answer to " + call.what();
    return call.store()
        ? new StoreException(StoreException.Kind.AMBIGUOUS, message)
        : new IOException(message);
  }

  private void othersWork(boolean overwrite) throws IOException {
    RunningCommits.end(id);
    checkRecovered(new SimulatedRecovery(undisturbed, false).run());
    if (overwrite) {
      overwrite();
    }
  }

  private void overwrite() throws IOException {
    waitWhereToldTo();
    overwritten = true;
    committedBeforeOverwrite = isCommitted();
    Told told = later().run();
    if (told != Told.COMMITTED) {
      throw new AssertionError("a later job was " + told);
    }
  }

  /** As a job does that replaces files. */
  private void waitWhereToldTo() throws IOException {
    checkRecovered(new SimulatedRecovery(undisturbed, setting.clusterGone()).clear());
    // What is left of announcements.
    checkRecovered(recover());
  }

  private SimulatedJob later() {
    return new SimulatedJob(
        cluster,
        undisturbed,
        setting.job().isInTwoBuckets() ? JobKind.TWO_BUCKETS_OVERWRITE : JobKind.OVERWRITE_TABLE,
        laterId);
  }

  private boolean isCommitted() {
    return cluster.decision(id).filter(Decision.Outcome.COMMIT::equals).isPresent();
  }

  private Set<String> table() {
    Set<String> objects = cluster.table();
    // MapReduce's engine removes its own directory.
    objects.removeIf(object -> object.startsWith(PREFIX + "_temporary/"));
    return objects;
  }

  /** P1 and P4, at every moment. */
  private void checkStep(Calls.Call call) {
    Set<String> now = table();
    if (made.stream().anyMatch(now::contains) && !isCommitted()) {
      violated("visible before the decision, after " + call.what());
    }
    if (!overwritten) {
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

  private SimulatedJob job(SimulatedCluster.View view) {
    return new SimulatedJob(cluster, view, setting.job(), id);
  }

  /**
   * Runs and checks.
   *
   * @return how many steps there were in which something could go wrong
   * @throws AssertionError with all that is needed to repeat it
   */
  int run() {
    try {
      runJob();
      if (violation.isPresent()) {
        throw new AssertionError(violation.get());
      }
      return steps;
    } catch (IOException | RuntimeException | AssertionError e) {
      throw new AssertionError(
          this + ": " + violation.map(it -> it + "; ").orElse("") + e.getMessage(), e);
    } finally {
      RunningCommits.end(id);
    }
  }

  boolean hasStruck() {
    return !struck.isEmpty();
  }

  @Override
  public String toString() {
    return setting + ", " + faults + " " + struck;
  }

  private void runJob() throws IOException {
    String foreign = cluster.store.createUpload(PREFIX + "foreign", Map.of());
    Victim process = new Victim();
    SimulatedJob job = job(cluster.new View(process));
    after.addAll(made);
    Optional<Told> told = Optional.empty();
    try {
      Told answer = job.run();
      told = process.dead ? Optional.empty() : Optional.of(answer);
    } catch (Crash e) {
      if (!process.dead) {
        throw e;
      }
    }
    if (told.isPresent()) {
      checkTold(told.get(), job);
    }
    RunningCommits.end(id);

    if (faults.containsValue(Kind.CRASH_RESTART) && job.tasksDone()) {
      told = Optional.of(commitAgain());
      checkTold(told.get(), job);
    }
    List<Recovered> first = recoverDisturbed();
    List<Recovered> second = recover();
    checkRecovered(second);
    if (second.stream().noneMatch(Recovered.Settling.class::isInstance)) {
      checkNothingChanges();
    }
    if (faults.values().stream().anyMatch(kind -> kind.isLate() && kind.overwrites())) {
      overwrite();
    }
    boolean tookEffectLate = !late.isEmpty();
    for (Calls.Effect<?> effect : late) {
      take(effect);
    }
    if (tookEffectLate) {
      checkRecovered(recover());
    }
    if (!setting.clusterGone()) {
      new SimulatedRecovery(undisturbed, false).sweepLate(8);
      new SimulatedRecovery(undisturbed, false).sweepLate(16);
    }
    waitWhereToldTo();
    checkNothingChanges();
    checkEnd(told, job, !first.isEmpty() || !second.isEmpty());
    if (!setting.clusterGone() && cluster.decision(id).isPresent()) {
      // A process that was taken for dead, or that the engine has started too late.
      Told late = commitAgain();
      if (late != (isCommitted() ? Told.COMMITTED : Told.FAILED)) {
        throw new AssertionError("a late committer is " + late);
      }
      waitWhereToldTo();
      checkNothingChanges();
      checkEnd(told, job, !first.isEmpty() || !second.isEmpty());
    }
    cluster.store.abortUpload(PREFIX + "foreign", foreign);
  }

  private Told commitAgain() {
    return job(undisturbed).commit(true);
  }

  /** The recovery may be struck as well, where several faults are planned. */
  private List<Recovered> recoverDisturbed() {
    Victim process = new Victim();
    int struckBefore = struck.size();
    List<Recovered> results;
    try {
      results = new SimulatedRecovery(cluster.new View(process), setting.clusterGone()).run();
    } catch (Crash | IOException e) {
      if (struck.size() == struckBefore) {
        throw new AssertionError("the recovery failed", e);
      }
      return List.of();
    } finally {
      RunningCommits.end(id);
    }
    if (struck.size() == struckBefore) {
      checkRecovered(results);
    }
    return results;
  }

  private List<Recovered> recover() throws IOException {
    return new SimulatedRecovery(undisturbed, setting.clusterGone()).run();
  }

  private static void checkRecovered(List<Recovered> results) {
    for (Recovered result : results) {
      if (!(result instanceof Recovered.Settling
          || result instanceof Recovered.Completed
          || result instanceof Recovered.RolledBack)) {
        throw new AssertionError("recovery says: " + result);
      }
    }
  }

  /** A request that nobody waits for any more may fail as well as succeed. */
  private void take(Calls.Effect<?> effect) {
    try {
      effect.take();
      struck.add("late effect");
    } catch (IOException e) {
      struck.add("late failure: " + e.getMessage());
    }
  }

  private void checkNothingChanges() throws IOException {
    List<String> snapshot = cluster.snapshot();
    List<String> changes = new ArrayList<>();
    SimulatedCluster.View watched =
        cluster
        .new View(
            new Calls() {
              @Override
              public <T> T make(Call call, Effect<T> effect) throws IOException {
                if (call.changes()) {
                  changes.add(call.what());
                }
                return effect.take();
              }
            });
    List<Recovered> results = new SimulatedRecovery(watched, setting.clusterGone()).run();
    if (!results.isEmpty() || !changes.isEmpty() || !cluster.snapshot().equals(snapshot)) {
      throw new AssertionError(
          "another recovery has something to do: " + results + ", and changes " + changes);
    }
  }

  /** P8: what the engine tells its user is so. */
  private void checkTold(Told told, SimulatedJob job) {
    Set<String> now = table();
    switch (told) {
      case COMMITTED, COMMITTED_OPEN -> {
        if (!overwritten && !now.equals(after)) {
          throw new AssertionError(told + ", but there is " + now + ", not " + after);
        }
        if (!isCommitted()) {
          throw new AssertionError(told + " without a decision");
        }
      }
      case FAILED, FAILED_UNSWEPT -> {
        if (!overwritten && !now.equals(before)) {
          throw new AssertionError(told + ", but there is " + now + ", not " + before);
        }
        if (isCommitted()) {
          throw new AssertionError(told + " and decided to commit: " + job.failure());
        }
      }
      case UNKNOWN -> {
        if (faults.values().stream().allMatch(Kind::stalls)) {
          throw new AssertionError("nothing failed, and " + job.failure());
        }
      }
      case WRONGLY_FAILED ->
          throw new AssertionError("committed, and told to have failed: " + job.failure());
      case DAMAGED -> throw new AssertionError("no upload has vanished: " + job.failure());
    }
  }

  private void checkEnd(Optional<Told> told, SimulatedJob job, boolean recovered)
      throws IOException {
    Set<String> expected = overwritten ? afterOverwrite(job) : isCommitted() ? after : before;
    Set<String> now = table();
    if (overwritten) {
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
    if (!overwritten && !cluster.partitions.equals(partitions)) {
      throw new AssertionError("partitions are " + cluster.partitions + ", not " + partitions);
    }
    if (!undisturbed.log().open().isEmpty()) {
      throw new AssertionError("open: " + undisturbed.log().open());
    }
    List<String> pending = new ArrayList<>(cluster.pending());
    if (!pending.remove(PREFIX + "foreign")) {
      throw new AssertionError("somebody else's upload was aborted");
    }
    if (recovered && faults.values().stream().noneMatch(Kind::isLate)) {
      // The plan tells the recovery of these, whatever else is lost.
      for (Path path : setting.job().writes(id)) {
        if (pending.contains(SimulatedCluster.nameOf(path))) {
          throw new AssertionError(told + ": an upload of the plan is pending: " + path);
        }
      }
    }
    if (!pending.isEmpty() && mustBeSwept(told, recovered)) {
      throw new AssertionError(told + ": uploads are pending: " + pending);
    }
  }

  /** What an overwrite by a later job leaves, with this job in the middle of its work. */
  private Set<String> afterOverwrite(SimulatedJob job) {
    Set<String> expected = new TreeSet<>();
    for (String object : before) {
      String below =
          object.substring(
              (object.startsWith(PREFIX) ? PREFIX : SimulatedCluster.ELSEWHERE_PREFIX).length());
      if ((below.startsWith("_") || below.startsWith(".")) && !object.endsWith("/=")) {
        expected.add(object);
      }
    }
    expected.addAll(later().made());
    if (isCommitted() && !committedBeforeOverwrite) {
      expected.addAll(made);
      Set<String> replaced =
          job.plan().stream()
              .flatMap(plan -> Plans.whole(plan).replaced().stream())
              .map(old -> SimulatedCluster.nameOf(ObjectKeys.bucketOf(old.bucket()), old.key()))
              .collect(Collectors.toSet());
      expected.removeIf(object -> replaced.contains(keyOf(object)));
    }
    return expected;
  }

  /** P3, as far as it can be kept. */
  private boolean mustBeSwept(Optional<Told> told, boolean recovered) {
    boolean createStruck =
        struck.stream().anyMatch(it -> it.contains("CREATE_UPLOAD") || it.contains(".upload"));
    if (setting.job().plainNames() && createStruck) {
      // Nobody knows the id, and the key is not the job's alone.
      return false;
    }
    if (setting.job().style() != JobShape.Style.MR_S3 && !setting.clusterGone()) {
      return true;
    }
    // Without a journal a listing of the store has to tell; nobody looks twice.
    boolean late = faults.values().stream().anyMatch(Kind::isLate);
    return setting.variant().listsUploadsByPrefix()
        && !setting.job().plainNames()
        && !(late && createStruck)
        && (recovered || told.filter(Told.FAILED::equals).isPresent());
  }
}
