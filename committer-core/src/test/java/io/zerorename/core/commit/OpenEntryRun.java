package io.zerorename.core.commit;

import static io.zerorename.core.commit.SimulatedCluster.PREFIX;

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
import io.zerorename.core.recovery.RecoverEntry.Manner;
import io.zerorename.core.recovery.Recovered;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.testing.OpenJobs;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.hadoop.fs.Path;

/** Runs what comes behind an open entry, and has a call of it go wrong. */
final class OpenEntryRun extends FaultRun {
  /** In turn a small file and an upload for each. */
  private static final Set<Integer> DAYS = Set.of(1, 2, 3, 4);

  /** An upload and a small file. */
  private static final Set<Integer> PART = Set.of(2, 3);

  private final OpenEntrySetting setting;
  private final String openId = "open-" + number;
  private final Actor open;
  private final Actor behind;

  OpenEntryRun(OpenEntrySetting setting, List<Fault> faults) {
    super(
        setting,
        faults,
        DAYS.stream().map(day -> PREFIX + "day=" + day + "/foreign").toList(),
        new Actor(Role.OVERWRITE, "later", DAYS, false, Troubles.NONE));
    this.setting = setting;
    this.open = new Actor(setting.open(), openId, DAYS, true, Troubles.NONE);
    this.behind =
        new Actor(setting.behind(), id, setting.whole() ? DAYS : PART, true, Troubles.NONE);
  }

  @Override
  Map<String, List<Path>> writes() {
    return Map.of(
        openId,
        open.writes(openId),
        id,
        isJob() ? behind.writes(id) : List.of(),
        SimulatedStatement.again(id),
        List.of());
  }

  @Override
  void prepare() throws IOException {
    leaveOpen();
    if (isJob()) {
      // Before its commit it need not know what is open: other scenarios have that.
      new SimulatedJob(cluster, undisturbed(), behind, id).prepare();
    }
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
        throw new Calls.Crash();
      }
      T result = effect.take();
      checks().observe(call);
      return result;
    }
  }

  private void leaveOpen() throws IOException {
    new SimulatedJob(cluster, undisturbed(), open, openId).prepare();
    Dying executor = new Dying();
    try {
      new SimulatedJob(cluster, cluster.new View(executor), open, openId).commit(false);
    } catch (Calls.Crash e) {
      // Or the code under test has taken it for a failed call.
    }
    if (!executor.isDead()) {
      throw new AssertionError("the executor of the open entry has not died");
    }
    List<Path> visible = new ArrayList<>(open.writes(openId));
    visible.removeIf(path -> !cluster.store.keys().contains(ObjectKeys.of(path)));
    int expected = Math.min(setting.diesBefore() - 1, DAYS.size());
    if (visible.size() != expected
        || !OpenJobs.of(recovery(undisturbed()).recovery()).equals(List.of(openId))) {
      throw new AssertionError("the first entry is not open, or has other files than " + visible);
    }
  }

  @Override
  boolean isJob() {
    return behind.isJob();
  }

  @Override
  Told act(SimulatedCluster.View view, boolean again) {
    return switch (setting.behind()) {
      case GIVE_UP -> giveUp(view);
      case STATEMENT -> state(view, again ? SimulatedStatement.again(id) : id);
      default -> new SimulatedJob(cluster, view, behind, id).commit(again);
    };
  }

  private Told giveUp(SimulatedCluster.View view) {
    try {
      Optional<Recovered> result = recovery(view).recovery().giveUp(openId);
      if (result.filter(Recovered.Failed.class::isInstance).isPresent()) {
        return Told.UNKNOWN;
      }
      // Another process may have ended it meanwhile.
      boolean ended =
          result.isEmpty()
              || result.get() instanceof Recovered.GivenUp
              || result.get() instanceof Recovered.Completed
              || (result.get() instanceof Recovered.Damaged damaged && damaged.state().isEnded());
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
      new SimulatedStatement(view, checks(), statement, behind.directories(), !setting.whole())
          .run();
      return Told.COMMITTED;
    } catch (IOException e) {
      return Told.UNKNOWN;
    }
  }

  @Override
  void checkDone() {
    if (isJob()) {
      checkDone(behind);
    }
    if (setting.behind() == Role.STATEMENT) {
      Set<String> own =
          cluster.names().stream().filter(it -> it.contains(id)).collect(Collectors.toSet());
      checkReplaced(behind.directories(), own);
    }
    if (setting.behind() == Role.GIVE_UP) {
      List<String> pending = new ArrayList<>(cluster.pending(openId));
      pending.retainAll(open.writes(openId).stream().map(ObjectKeys::of).toList());
      if (!pending.isEmpty()) {
        throw new AssertionError("it is given up, and there may come of it: " + pending);
      }
    }
  }

  @Override
  void checkUndisturbed() throws IOException {
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
    if (!entry.map(LogEntry::kind).equals(kind)
        || tail.isGivenUp(1) != givesUp
        || entry.filter(it -> it.follows().contains(1L)).isPresent() != replaces
        || superseded != (replaces && setting.whole())
        || (givesUp && checks().lostByGivingUp().size() != DAYS.size() - visible)) {
      throw new AssertionError("nothing went wrong, and there is " + entry);
    }
  }

  @Override
  void runAgain() throws IOException {
    if (setting.behind() == Role.GIVE_UP) {
      mustNotFail(giveUp(undisturbed()));
    }
    if (setting.behind() == Role.STATEMENT) {
      if (!calls.have(Kind.CRASH_RESTART) && !checks().interrupted().isEmpty()) {
        mustNotFail(state(undisturbed(), SimulatedStatement.again(id)));
      }
      // An operator knows who has removed files.
      check(recovery(undisturbed()).recovery().run(Duration.ZERO, Manner.BY_OPERATOR));
    }
  }

  private void mustNotFail(Told told) {
    if (told != Told.COMMITTED) {
      throw new AssertionError("run again it is " + told);
    }
    if (!isOverwritten()) {
      checkDone();
    }
  }

  @Override
  boolean mayBeSaid(Recovered result) {
    return checks().mayBeSaid(result);
  }

  /** An engine's own PUT that comes behind a later overwrite is not the committer's. */
  @Override
  boolean mayArrive(Calls.Call call) {
    return !isOverwritten() || !call.what().contains("/engine.");
  }

  @Override
  void checkEnd(Optional<Told> told, boolean recovered) {
    // That no upload of an entry is pending is checked of any run.
  }
}
