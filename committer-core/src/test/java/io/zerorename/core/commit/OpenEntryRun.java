package io.zerorename.core.commit;

import static io.zerorename.core.commit.SimulatedCluster.PREFIX;
import static io.zerorename.core.commit.SimulatedCluster.TABLE;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.zerorename.core.commit.Fault.Kind;
import io.zerorename.core.commit.JobsScript.Actor;
import io.zerorename.core.commit.JobsScript.Role;
import io.zerorename.core.commit.RandomTurns.Troubles;
import io.zerorename.core.commit.SimulatedJob.Told;
import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.EntryKind;
import io.zerorename.core.log.EntryState;
import io.zerorename.core.log.LogEntry;
import io.zerorename.core.log.LogTail;
import io.zerorename.core.recovery.Recovered;
import io.zerorename.core.store.ObjectKeys;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.apache.hadoop.fs.Path;

/**
 * Runs what comes behind an open entry, has a call of it go wrong, or of the recovery that follows,
 * and checks after each call and at the end what there is in the order of the log.
 */
final class OpenEntryRun implements FaultScenario.Run {
  private static final AtomicInteger NUMBER = new AtomicInteger();

  /** In turn a small file and an upload for each. */
  private static final Set<Integer> DAYS = Set.of(1, 2, 3, 4);

  /** An upload and a small file. */
  private static final Set<Integer> PART = Set.of(2, 3);

  private final OpenEntrySetting setting;
  private final Actor open;
  private final Actor behind;
  private final Actor later = new Actor(Role.OVERWRITE, "later", DAYS, false, Troubles.NONE);
  private final String openId;
  private final String id;
  private final String laterId;
  private final SimulatedCluster cluster;
  private final HistoryChecks checks;
  private final SimulatedCluster.View undisturbed;
  private final FaultyCalls calls;
  private boolean overwritten;

  OpenEntryRun(OpenEntrySetting setting, List<Fault> faults) {
    this.setting = setting;
    int number = NUMBER.incrementAndGet();
    this.openId = "open-" + number;
    this.id = "behind-" + number;
    this.laterId = "later-" + number;
    this.open = new Actor(setting.open(), openId, DAYS, true, Troubles.NONE);
    this.behind =
        new Actor(setting.behind(), id, setting.whole() ? DAYS : PART, true, Troubles.NONE);
    this.cluster = new SimulatedCluster("open-" + number, setting.variant());
    DAYS.forEach(
        day -> cluster.store.plant(PREFIX + "day=" + day + "/foreign", "foreign".getBytes(UTF_8)));
    this.checks =
        new HistoryChecks(
            cluster,
            Map.of(
                openId,
                open.writes(openId),
                id,
                behind.isJob() ? behind.writes(id) : List.of(),
                SimulatedStatement.again(id),
                List.of(),
                laterId,
                later.writes(laterId)),
            false);
    this.undisturbed = cluster.new View(checks.observed());
    this.calls = new FaultyCalls(faults, this::othersWork, checks::observe);
  }

  @Override
  public int run() {
    try {
      leaveOpen();
      runBehind();
      return calls.steps();
    } catch (IOException | RuntimeException | AssertionError e) {
      throw new AssertionError(
          this + ": " + checks.failures().stream().findFirst().orElse("") + "; " + e.getMessage(),
          e);
    }
  }

  @Override
  public boolean hasStruck(Fault fault) {
    return calls.hasStruck(fault);
  }

  @Override
  public String toString() {
    return setting + ", " + calls;
  }

  /** A process that dies before one of its changes of the table. */
  private final class Dying implements Calls {
    private int changes;

    boolean isDead() {
      return changes >= setting.diesBefore();
    }

    @Override
    public <T> T make(Call call, Effect<T> effect) throws IOException {
      boolean begins =
          call.what().startsWith("CREATE_UPLOAD") || call.what().startsWith("UPLOAD_PART");
      if (call.store() && call.changes() && call.what().contains(PREFIX) && !begins) {
        changes++;
      }
      if (isDead()) {
        throw new FaultyCalls.Crash();
      }
      T result = effect.take();
      checks.observe(call);
      return result;
    }
  }

  private void leaveOpen() throws IOException {
    new SimulatedJob(cluster, undisturbed, open, openId).prepare();
    Dying executor = new Dying();
    try {
      new SimulatedJob(cluster, cluster.new View(executor), open, openId).commit(false);
    } catch (FaultyCalls.Crash e) {
      // Or the code under test has taken it for a failed call.
    }
    if (!executor.isDead()) {
      throw new AssertionError("the executor of the open entry has not died");
    }
    List<Path> visible = new ArrayList<>(open.writes(openId));
    visible.removeIf(path -> !cluster.store.keys().contains(ObjectKeys.of(path)));
    int expected = Math.min(setting.diesBefore() - 1, DAYS.size());
    if (visible.size() != expected
        || !new SimulatedRecovery(undisturbed, false).recovery().open().equals(List.of(openId))) {
      throw new AssertionError("the first entry is not open, or has other files than " + visible);
    }
  }

  private void runBehind() throws IOException {
    if (behind.isJob()) {
      // Before its commit it need not know what is open: other scenarios have that.
      new SimulatedJob(cluster, undisturbed, behind, id).prepare();
    }
    Optional<Told> told = calls.process(process -> act(cluster.new View(process), false));
    if (told.isPresent()) {
      check(told.get());
    }
    if (calls.struck().isEmpty()) {
      checkUndisturbed(told);
    }
    if (calls.have(Kind.CRASH_RESTART)) {
      check(act(undisturbed, true));
    }
    recoverDisturbed();
    recover();
    runAgain();
    recover();
    FaultChecks.nothingChanges(cluster, false);
    if (calls.areLateBehindAnOverwrite()) {
      overwrite();
    }
    // An engine's own PUT that comes behind a later overwrite is not the committer's.
    if (calls.takeLate(call -> !overwritten || !call.what().contains("/engine."))) {
      recover();
    }
    FaultChecks.nothingChanges(cluster, false);
    checkEnd();
    if (behind.isJob() && cluster.decision(id).isPresent()) {
      // A process that was taken for dead, or that the engine has started too late.
      Told late = act(undisturbed, true);
      if (late != (cluster.isCommitted(id) ? Told.COMMITTED : Told.FAILED)) {
        throw new AssertionError("a late committer is " + late);
      }
      FaultChecks.nothingChanges(cluster, false);
      checkEnd();
    }
  }

  /**
   * @param again whether an earlier process may have done a part of it
   */
  private Told act(SimulatedCluster.View view, boolean again) {
    return switch (setting.behind()) {
      case GIVE_UP -> giveUp(view);
      case STATEMENT -> state(view, again ? SimulatedStatement.again(id) : id);
      default -> {
        SimulatedJob job = new SimulatedJob(cluster, view, behind, id);
        Told told = job.commit(again);
        if (told == Told.DAMAGED || told == Told.WRONGLY_FAILED) {
          throw new AssertionError(told + ": " + job.failure());
        }
        yield told;
      }
    };
  }

  private Told giveUp(SimulatedCluster.View view) {
    try {
      Optional<Recovered> result = new SimulatedRecovery(view, false).recovery().giveUp(openId);
      if (result.filter(Recovered.Failed.class::isInstance).isPresent()) {
        return Told.UNKNOWN;
      }
      // Another process may have ended it meanwhile.
      boolean ended =
          result.isEmpty()
              || result.get() instanceof Recovered.GivenUp
              || result.get() instanceof Recovered.Completed
              || (result.get() instanceof Recovered.Damaged damaged && damaged.ended());
      if (!ended) {
        throw new AssertionError("it is not given up: " + result.get());
      }
      return Told.COMMITTED;
    } catch (IOException e) {
      return Told.UNKNOWN;
    }
  }

  private Told state(SimulatedCluster.View view, String statement) {
    try {
      // One of a part is an overwrite on the engine's path, the other a TRUNCATE.
      new SimulatedStatement(view, checks, statement, behind.directories(), !setting.whole())
          .run(() -> true);
      return Told.COMMITTED;
    } catch (IOException e) {
      return Told.UNKNOWN;
    }
  }

  private void check(Told told) {
    switch (told) {
      case COMMITTED, COMMITTED_OPEN -> {
        if (!overwritten) {
          checkDone();
        }
      }
      case FAILED, FAILED_UNSWEPT -> {
        if (cluster.isCommitted(id)) {
          throw new AssertionError(told + " and decided to commit");
        }
      }
      default -> {
        if (calls.onlyStall()) {
          throw new AssertionError("nothing failed, and it is " + told);
        }
      }
    }
  }

  /** Who was told so relies on it at once. */
  private void checkDone() {
    Set<String> there = new HashSet<>(cluster.store.keys());
    if (behind.isJob()) {
      List<String> own = behind.writes(id).stream().map(ObjectKeys::of).toList();
      if (!there.containsAll(own) || !cluster.isCommitted(id)) {
        throw new AssertionError("there is " + there + " without all of " + own);
      }
    }
    if (setting.behind() == Role.OVERWRITE || setting.behind() == Role.STATEMENT) {
      Set<String> prefixes =
          behind.directories().stream().map(ObjectKeys::prefixOf).collect(Collectors.toSet());
      there.removeIf(key -> key.endsWith("/") || key.contains(id));
      there.removeIf(key -> prefixes.stream().noneMatch(key::startsWith));
      if (!there.isEmpty()) {
        throw new AssertionError("it has replaced its directories, and there is " + there);
      }
    }
    if (setting.behind() == Role.GIVE_UP) {
      List<String> pending = new ArrayList<>(cluster.pending(openId));
      pending.retainAll(open.writes(openId).stream().map(ObjectKeys::of).toList());
      Set<String> lost = checks.lostByGivingUp();
      boolean bytes =
          lost.stream().anyMatch(this::isSmall)
              && there.stream().anyMatch(key -> key.endsWith(".bytes"));
      if (bytes || !pending.isEmpty()) {
        throw new AssertionError("given up is " + lost + ", and there may come of it: " + there);
      }
    }
  }

  /** Whether a file of the open entry is one whose bytes travel to the commit. */
  private boolean isSmall(String key) {
    int task = open.writes(openId).stream().map(ObjectKeys::of).toList().indexOf(key);
    return open.inlines(task);
  }

  /** The scenario is what its name says. */
  private void checkUndisturbed(Optional<Told> told) throws IOException {
    CommitLog log = cluster.undisturbed().log();
    LogTail tail = log.tailDownTo(1);
    boolean givesUp = setting.behind() == Role.GIVE_UP;
    Optional<LogEntry> entry = log.read(2);
    Optional<EntryKind> kind =
        switch (setting.behind()) {
          case APPEND -> Optional.of(EntryKind.ADD);
          case OVERWRITE, STATEMENT -> Optional.of(EntryKind.REPLACE);
          case GIVE_UP -> Optional.empty();
          default -> throw new AssertionError(setting.behind());
        };
    boolean replaces = kind.equals(Optional.of(EntryKind.REPLACE));
    boolean superseded = tail.state(1) == EntryState.SUPERSEDED;
    int visible = Math.min(setting.diesBefore() - 1, DAYS.size());
    if (!told.equals(Optional.of(Told.COMMITTED))
        || !entry.map(LogEntry::kind).equals(kind)
        || tail.isGivenUp(1) != givesUp
        || entry.filter(it -> it.follows().contains(1L)).isPresent() != replaces
        || superseded != (replaces && setting.whole())
        || (givesUp && checks.lostByGivingUp().size() != DAYS.size() - visible)) {
      throw new AssertionError("nothing went wrong, and " + told + ", " + entry);
    }
  }

  private void othersWork(boolean overwrite) throws IOException {
    recover();
    if (overwrite) {
      overwrite();
    }
  }

  private void overwrite() throws IOException {
    overwritten = true;
    Told told = new SimulatedJob(cluster, undisturbed, later, laterId).run();
    if (told != Told.COMMITTED) {
      throw new AssertionError("a later job was " + told);
    }
  }

  private void recoverDisturbed() {
    int struckBefore = calls.struck().size();
    try {
      Optional<List<Recovered>> results =
          calls.process(process -> new SimulatedRecovery(cluster.new View(process), false).run());
      if (calls.struck().size() == struckBefore) {
        check(results.orElseThrow());
      }
    } catch (IOException e) {
      if (calls.struck().size() == struckBefore) {
        throw new AssertionError("the recovery failed", e);
      }
    }
  }

  private void recover() throws IOException {
    check(new SimulatedRecovery(undisturbed, false).run());
  }

  private void check(List<Recovered> results) {
    for (Recovered result : results) {
      if (!checks.mayBeSaid(result)) {
        throw new AssertionError("recovery says: " + result);
      }
    }
  }

  /** Whose command or statement has failed runs it again. */
  private void runAgain() throws IOException {
    if (setting.behind() == Role.GIVE_UP) {
      check(giveUp(undisturbed));
    }
    if (setting.behind() == Role.STATEMENT) {
      if (!calls.have(Kind.CRASH_RESTART) && !checks.interrupted().isEmpty()) {
        check(state(undisturbed, SimulatedStatement.again(id)));
      }
      // An operator knows who has removed files.
      check(new SimulatedRecovery(undisturbed, false).recovery().resumeAll());
    }
  }

  private void checkEnd() throws IOException {
    checks.checkEnd();
    if (!checks.failures().isEmpty()) {
      throw new AssertionError("at the end");
    }
    Set<String> partitions = new HashSet<>();
    for (String job : List.of(openId, id, laterId)) {
      cluster.store.keys().stream()
          .filter(key -> key.startsWith(PREFIX) && key.endsWith("/0." + job))
          .forEach(key -> partitions.add(new Path(TABLE, key).getParent().getName()));
    }
    if (!cluster.partitions.containsAll(partitions)) {
      throw new AssertionError("partitions are " + cluster.partitions + ", without " + partitions);
    }
  }
}
