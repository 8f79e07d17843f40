package io.zerorename.core.commit;

import static io.zerorename.core.commit.SimulatedCluster.ELSEWHERE_PREFIX;
import static io.zerorename.core.commit.SimulatedCluster.PREFIX;

import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.EntryKind;
import io.zerorename.core.log.LogEntry;
import io.zerorename.core.log.LogTail;
import io.zerorename.core.log.PlanChunk;
import io.zerorename.core.log.Plans;
import io.zerorename.core.log.RunId;
import io.zerorename.core.recovery.Recovered;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.upload.PendingUpload;
import io.zerorename.testing.OpenJobs;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.util.functional.RemoteIterators;

/** What must hold between any two calls of simulated processes, and at their end. */
final class HistoryChecks implements Interleaving.Observer {
  /** What an entry does. */
  private record Committed(LogEntry entry, PlanChunk plan) {
    List<String> keys() {
      return plan.uploads().stream()
          .map(file -> SimulatedCluster.nameOf(file.destination()))
          .toList();
    }

    boolean replaces(String name) {
      return entry.replaces().stream().anyMatch(it -> isBelow(it, name));
    }

    /** Whether an engine has removed and written files itself, before it was decided. */
    boolean isOfEngine() {
      return plan.uploads().isEmpty() && plan.replaced().isEmpty() && plan.markers().isEmpty();
    }

    /** Names of the old objects that it has listed. */
    List<String> listed() {
      return plan.replaced().stream()
          .map(it -> SimulatedCluster.nameOf(ObjectKeys.bucketOf(it.bucket()), it.key()))
          .toList();
    }
  }

  /**
   * A statement of an engine on its own path that has not been decided.
   *
   * @param highest number before it began: its place is right behind that
   */
  private record Statement(Set<Path> directories, long highest) {
    boolean replaces(String name) {
      return directories.stream().anyMatch(it -> isBelow(it, name));
    }
  }

  private final SimulatedCluster cluster;
  private final Map<String, List<Path>> jobs;
  private final boolean foreigners;
  private final Set<String> atTheStart;
  private final Map<String, Committed> committed = new LinkedHashMap<>();
  private final Set<String> everThere = new HashSet<>();
  private final List<String> failures = new ArrayList<>();

  /** Numbers of entries whose files were all there at one time, and no bytes of small ones. */
  private final Set<Long> together = new HashSet<>();

  /** Numbers of entries that an operator has ended without the files that are lost. */
  private final Set<Long> givenUp = new HashSet<>();

  /** Keys of files that these were ended without. */
  private final Set<String> lostByGivingUp = new HashSet<>();

  private final Map<EntryKind, Integer> kinds = new EnumMap<>(EntryKind.class);

  /** When each entry was written that was seen. */
  private final Map<Long, Instant> seen = new HashMap<>();

  private final Set<String> beingRemoved = new HashSet<>();
  private final Set<String> removedByForeigners = new HashSet<>();

  /** What writers that do not use the log have removed for good. */
  private final Set<String> gone = new HashSet<>();

  /** Statements of engines that have begun, by their ids. */
  private final Map<String, Statement> begun = new LinkedHashMap<>();

  /** Those that have ended without an entry. */
  private final Map<String, Statement> undecided = new LinkedHashMap<>();

  /** Those that have ended with one. */
  private final Set<String> cleared = new HashSet<>();

  /** Those that have begun to remove files. */
  private final Set<String> removing = new HashSet<>();

  /** What engines have removed or are about to. */
  private final Set<String> removedByEngines = new HashSet<>();

  /** Files that engines have written themselves, which no entry names. */
  private final Set<String> writtenAgain = new HashSet<>();

  private final Set<String> ofEngines = new HashSet<>();

  private int foreignWrites;

  /**
   * Checks of a cluster as it is now.
   *
   * @param jobs what they write, by their ids
   * @param foreigners whether there are writers that do not use the log
   */
  HistoryChecks(SimulatedCluster cluster, Map<String, List<Path>> jobs, boolean foreigners) {
    this.cluster = cluster;
    this.jobs = Map.copyOf(jobs);
    this.foreigners = foreigners;
    this.atTheStart = data();
  }

  /** Whether an object is in a directory and not hidden. */
  static boolean isBelow(Path directory, String name) {
    String prefix = SimulatedCluster.nameOf(directory) + "/";
    return name.startsWith(prefix)
        && !name.startsWith("_", prefix.length())
        && !name.startsWith(".", prefix.length());
  }

  /** Whether an object is one of the table's, and none of MapReduce's own directory. */
  private static boolean isOfTable(String name) {
    return (name.startsWith(PREFIX) || name.startsWith(ELSEWHERE_PREFIX))
        && !name.startsWith(PREFIX + "_temporary/");
  }

  private Set<String> data() {
    Set<String> data = cluster.names();
    // A marker of an emptied directory is no data.
    data.removeIf(name -> !isOfTable(name) || name.endsWith("/"));
    return data;
  }

  /** Whether a job was decided to be committed, though its entry may be deleted by now. */
  boolean isCommitted(String id) {
    return committed.containsKey(id);
  }

  /** Whether an operator has begun to end an entry without the files that are lost. */
  boolean isGivenUp(long number) {
    return givenUp.contains(number);
  }

  /** Whether he has that of a job. */
  boolean isGivenUp(String id) {
    return isCommitted(id) && isGivenUp(committed.get(id).entry().number());
  }

  /** Files that entries were ended without, and that were never made visible. */
  Set<String> lostByGivingUp() {
    return Set.copyOf(lostByGivingUp);
  }

  private Stream<Committed> ofRun(Optional<RunId> run) {
    return committed.values().stream()
        .filter(it -> run.isPresent() && it.entry().job().run().equals(run));
  }

  /** Whether all files of the job that has committed a run were there at some time. */
  synchronized boolean wasThere(Optional<RunId> run) {
    return ofRun(run).anyMatch(it -> everThere.containsAll(it.keys()));
  }

  /** Whether they are there. */
  synchronized boolean isThere(Optional<RunId> run) {
    return ofRun(run).allMatch(it -> data().containsAll(it.keys()));
  }

  /** How many entries of each kind were written. */
  Map<EntryKind, Integer> kinds() {
    return Map.copyOf(kinds);
  }

  /** How many jobs were decided to be committed. */
  int committed() {
    return committed.size();
  }

  /** How often a writer that does not use the log has changed something. */
  int foreignWrites() {
    return foreignWrites;
  }

  /** What did not hold. */
  List<String> failures() {
    return failures;
  }

  synchronized void violated(String property) {
    failures.add(property);
  }

  /** A writer that does not use the log is about to delete something. */
  void foreignRemoves(Collection<String> keys) {
    foreignWrites++;
    beingRemoved.addAll(keys);
  }

  /**
   * A statement of an engine has listed the log.
   *
   * @param highest number that it has seen
   */
  synchronized void statementBegins(String id, Set<Path> directories, long highest) {
    begun.put(id, new Statement(directories, highest));
  }

  /** Whether it has. */
  synchronized boolean hasBegun(String id) {
    return begun.containsKey(id);
  }

  /** It is about to delete what it has listed. */
  synchronized void statementRemoves(String id, Collection<String> keys) {
    removing.add(id);
    removedByEngines.addAll(keys);
  }

  /**
   * Its client repeats the request: by the first one others may have seen the file, and removed it.
   */
  synchronized void statementWritesAgain(String key) {
    writtenAgain.add(key);
  }

  /** It is about to write a file. */
  synchronized void statementWrites(String key) {
    ofEngines.add(key);
  }

  /** It has ended. */
  synchronized void statementEnds(String id, boolean decided) {
    if (decided) {
      cleared.add(id);
    } else {
      undecided.put(id, begun.get(id));
    }
  }

  /** How many statements have ended with an entry. */
  int cleared() {
    return cleared.size();
  }

  /**
   * Statements that were interrupted after their engine had begun to remove files and before they
   * were decided: until they run again nothing is promised about their directories.
   */
  List<String> interrupted() {
    return removing.stream()
        .filter(id -> !undecided.containsKey(id) && !isCommitted(id))
        .sorted()
        .toList();
  }

  /** Whether the engine of a statement has removed or written files by now. */
  synchronized boolean isStatementAtWork() {
    return !removing.isEmpty() || !ofEngines.isEmpty();
  }

  /** Whether engines have removed all of some files. */
  boolean areRemovedByEngines(Collection<Path> files) {
    return files.stream().map(SimulatedCluster::nameOf).allMatch(removedByEngines::contains);
  }

  /**
   * Whether a recovery may say so. Where engines have removed files, it cannot know who has; and it
   * leaves what an operator has begun to give up.
   */
  boolean mayBeSaid(Recovered result) {
    return result instanceof Recovered.Completed
        || result instanceof Recovered.GivenUp
        || (result instanceof Recovered.Left left && isGivenUp(left.number()))
        || (result instanceof Recovered.Damaged damaged && isGivenUp(damaged.number()))
        || (result instanceof Recovered.Left && isStatementAtWork())
        || (result instanceof Recovered.Damaged damaged && areRemovedByEngines(damaged.lost()));
  }

  /** Calls that nothing goes wrong with, and after each of which it is checked what must hold. */
  Calls observed() {
    return Calls.between(call -> {}, this::observe);
  }

  @Override
  public void observe(Calls.Call call) {
    if (!call.changes()) {
      return;
    }
    if (call.what().contains("/log/")) {
      learn();
    }
    if (call.store()) {
      checkStep(call);
    }
  }

  /** Looks at what is new in the log. */
  private void learn() {
    try {
      CommitLog log = cluster.undisturbed().log();
      LogTail all = log.tailDownTo(1);
      for (long number : all.numbers()) {
        // Another than before may have the number of one that was deleted as old.
        if (!all.written(number).equals(seen.put(number, all.written(number)))) {
          learn(log, log.read(number).orElseThrow());
        }
      }
      all.numbers().stream().filter(all::isGivenUp).forEach(givenUp::add);
      for (long number : givenUp) {
        log.lost(number, all).forEach(it -> lostByGivingUp.add(SimulatedCluster.nameOf(it)));
      }
    } catch (IOException e) {
      violated("the log cannot be read: " + e);
    }
  }

  private void learn(CommitLog log, LogEntry entry) throws IOException {
    kinds.merge(entry.kind(), 1, Integer::sum);
    String id = entry.job().id();
    if (jobs.containsKey(id) && !committed.containsKey(id) && entry.kind() != EntryKind.VOID) {
      // The entry of another may have been deleted as old.
      ofRun(entry.job().run())
          .map(other -> other.entry().job().id())
          .filter(cluster::isCommitted)
          .forEach(other -> violated(id + " and " + other + " are of one run, and committed"));
      committed.put(id, new Committed(entry, Plans.whole(log.plan(entry))));
    }
  }

  private void checkStep(Calls.Call call) {
    Set<String> there = cluster.names();
    there.stream().filter(HistoryChecks::isOfTable).forEach(everThere::add);
    jobs.forEach(
        (id, writes) -> {
          if (!committed.containsKey(id)) {
            writes.stream()
                .filter(path -> there.contains(SimulatedCluster.nameOf(path)))
                .forEach(
                    path ->
                        violated(path + " is visible before its decision, after " + call.what()));
          }
        });
    Set<String> mayBeGone = new HashSet<>();
    for (Committed it : committed.values()) {
      if (givenUp.contains(it.entry().number())
          || it.keys().stream().allMatch(key -> everThere.contains(key) || isReplaced(key, it))) {
        mayBeGone.addAll(it.listed());
        earlier(it).filter(it::replaces).forEach(mayBeGone::add);
        if (!it.isOfEngine()) {
          // What an overwrite has listed that it follows.
          committed.values().stream()
              .filter(before -> before.entry().number() < it.entry().number())
              .flatMap(before -> before.listed().stream())
              .filter(it::replaces)
              .forEach(mayBeGone::add);
        }
      }
    }
    noteRemoved(there);
    for (String key : everThere) {
      if (!there.contains(key)
          && !mayBeGone.contains(key)
          && !removedByForeigners.contains(key)
          && !removedByEngines.contains(key)) {
        violated(key + " is gone too early, after " + call.what());
      }
    }
    for (Committed it : committed.values()) {
      if (there.containsAll(it.keys())) {
        together.add(it.entry().number());
      }
    }
    gone.stream()
        .filter(there::contains)
        .forEach(key -> violated(key + " is there again after " + call.what()));
    checkStatements(there, call);
  }

  /** What is before a statement that has ended never comes back. */
  private void checkStatements(Set<String> there, Calls.Call call) {
    for (Committed it : committed.values()) {
      List<String> keys = it.keys().stream().filter(there::contains).toList();
      for (String key : keys) {
        boolean isBefore =
            undecided.values().stream()
                    .anyMatch(by -> by.highest() >= it.entry().number() && by.replaces(key))
                || cleared.stream()
                    .map(committed::get)
                    .anyMatch(by -> by.entry().number() > it.entry().number() && by.replaces(key));
        if (isBefore) {
          violated(key + " is there after the end of a later statement, after " + call.what());
        }
      }
    }
  }

  /** Of an entry that has ended no file may appear, such as one that the store is at work on. */
  void checkCompleting(String key) throws IOException {
    LogTail all = cluster.undisturbed().log().tailDownTo(1);
    committed.values().stream()
        .filter(it -> it.keys().contains(key) && all.isEnded(it.entry().number()))
        .forEach(it -> violated(key + " can appear after the end of " + it.entry().description()));
  }

  private void noteRemoved(Set<String> there) {
    for (String key : List.copyOf(beingRemoved)) {
      if (!there.contains(key)) {
        beingRemoved.remove(key);
        removedByForeigners.add(key);
        committed.values().stream()
            .filter(it -> together.contains(it.entry().number()) && it.keys().contains(key))
            .forEach(it -> gone.add(key));
      }
    }
  }

  /** Whether a later entry replaces a file of one. */
  private boolean isReplaced(String key, Committed of) {
    return committed.values().stream()
        .anyMatch(it -> it.entry().number() > of.entry().number() && it.replaces(key));
  }

  /** The files of the entries before one. */
  private Stream<String> earlier(Committed later) {
    return committed.values().stream()
        .filter(it -> it.entry().number() < later.entry().number())
        .flatMap(it -> it.keys().stream());
  }

  /**
   * When all entries have ended. What writers cause that do not use the log is counted, not
   * predicted.
   */
  void checkEnd() throws IOException {
    checkEnd(Set.of());
  }

  /**
   * The same.
   *
   * @param vanished keys of files that were lost, and reported as lost, without a give-up
   */
  void checkEnd(Set<String> vanished) throws IOException {
    Set<String> lost = new HashSet<>(vanished);
    lost.addAll(lostByGivingUp);
    // What others delete past the log may be taken for lost.
    Set<String> removed = new HashSet<>(removedByEngines);
    removed.addAll(removedByForeigners);
    lost.stream()
        .filter(key -> removed.contains(key) ? data().contains(key) : everThere.contains(key))
        .forEach(key -> violated(key + " is said to be lost, and was there"));
    if (foreigners) {
      return;
    }
    Set<String> expected = inOrder();
    expected.removeAll(lost);
    Set<String> data = data();
    for (String key : ofEngines) {
      switch (engineFile(key)) {
        case STAYS -> expected.add(key);
        case GOES -> {}
        case EITHER -> data.remove(key);
      }
    }
    if (!data.equals(expected)) {
      violated("there is " + data + ", not " + expected);
    }
    List<String> open = OpenJobs.of(new SimulatedRecovery(cluster.undisturbed()).recovery());
    if (!open.isEmpty()) {
      violated("not ended: " + open);
    }
    // What a job leaves whose process was killed before it decided is the lifecycle rule's.
    for (Committed entry : committed.values()) {
      for (PendingUpload file : entry.plan().uploads()) {
        RemoteIterators.foreach(
            cluster.store.listUploads(file.key()),
            upload -> {
              if (upload.uploadId().equals(file.uploadId())) {
                violated(file.key() + " of an entry is pending");
              }
            });
      }
    }
    Set<String> contents = cluster.table();
    for (Committed it : committed.values()) {
      for (String key : it.keys()) {
        if (data.contains(key) && !contents.contains(key + "=" + SimulatedJob.contentOf(key))) {
          violated(key + " has the content of another file");
        }
      }
    }
  }

  /** What there is when entries and statements have been executed one after the other. */
  private Set<String> inOrder() {
    Set<String> there = new TreeSet<>(atTheStart);
    Map<Long, Committed> entries = new TreeMap<>();
    committed.values().forEach(it -> entries.put(it.entry().number(), it));
    long last = entries.keySet().stream().reduce(0L, (a, b) -> b);
    long highest = undecided.values().stream().mapToLong(Statement::highest).max().orElse(0);
    for (long number = 0; number <= Math.max(last, highest); number++) {
      Committed entry = entries.get(number);
      if (entry != null) {
        there.removeIf(entry::replaces);
        there.addAll(entry.keys());
      }
      for (Statement statement : undecided.values()) {
        if (statement.highest() == number) {
          there.removeIf(statement::replaces);
        }
      }
    }
    return there;
  }

  private enum Fate {
    STAYS,
    GOES,
    EITHER
  }

  /**
   * What becomes of a file that no entry names. An overwrite deletes it if it has listed it, or one
   * that follows that overwrite; where an engine's own statement replaces the directory as well,
   * the first may leave it to that.
   */
  private Fate engineFile(String key) {
    if (writtenAgain.contains(key)) {
      return Fate.EITHER;
    }
    if (!everThere.contains(key) || removedByEngines.contains(key)) {
      return Fate.GOES;
    }
    List<Committed> listed =
        committed.values().stream().filter(it -> it.listed().contains(key)).toList();
    if (listed.isEmpty()) {
      return Fate.STAYS;
    }
    return listed.stream().allMatch(it -> isReplacedByEngine(key, it)) ? Fate.EITHER : Fate.GOES;
  }

  private boolean isReplacedByEngine(String key, Committed of) {
    return committed.values().stream()
        .anyMatch(
            it -> it.isOfEngine() && it.entry().number() > of.entry().number() && it.replaces(key));
  }
}
