package io.zerorename.core.commit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.EndNote;
import io.zerorename.core.log.EntryKind;
import io.zerorename.core.log.EntryState;
import io.zerorename.core.log.LogEntry;
import io.zerorename.core.log.OutputJob;
import io.zerorename.core.recovery.RecoverEntry.Manner;
import io.zerorename.core.recovery.Recovered;
import io.zerorename.core.recovery.Recovery;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.RequestType;
import io.zerorename.core.upload.OutputFile;
import io.zerorename.core.upload.PendingUpload;
import io.zerorename.testing.BeforeRequest;
import io.zerorename.testing.Waits;
import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a statement by which an engine removes files does about the commits beside it. */
class EngineStatementTest extends TimedCommits {
  private static final List<Path> DAY_1 = List.of(new Path(TestJob.TABLE, "day=1"));

  private static final byte[] LOADED = "loaded".getBytes(UTF_8);

  /** How long a Complete may take here. */
  private static final Duration COMPLETE_TIME = Duration.ofMinutes(5);

  private EngineStatement begin(Collection<Path> within) throws IOException {
    return begin(store, within);
  }

  private EngineStatement begin(ObjectStore through, Collection<Path> within) throws IOException {
    return new EngineStatement(
        path -> through,
        new CommitLog(path -> through, TestJob.LOG),
        Waits.in(this::pass, job.settlingFor(COMPLETE_TIME).settings()),
        within);
  }

  private static OutputJob statement() {
    return new OutputJob("statement", "TRUNCATE db.t", List.of(TestJob.TABLE));
  }

  private static Optional<LogEntry> end(EngineStatement replacement, Collection<Path> directories)
      throws IOException {
    return replacement.commit(statement(), directories, since -> true);
  }

  /** The engine deletes what it sees in the first partition. */
  private void engineDeletes() throws IOException {
    store.deleteObjects(data().stream().filter(key -> key.contains("/day=1/")).toList());
  }

  /** As the process does that has decided an entry and is alive. */
  private void complete(LogEntry entry, TestJob of) throws IOException {
    for (OutputFile file : of.chosen().get(0).files()) {
      if (file instanceof PendingUpload upload) {
        complete(upload);
      }
    }
    of.log().mark(entry, EntryState.COMPLETE, EndNote.NOTHING);
  }

  /** Nobody brings back anything, whoever tries. */
  private void assertThatNothingComesBack(String... left) throws IOException {
    assertThat(data()).containsExactly(left);
    assertThat(store.pendingKeys()).isEmpty();
    assertThat(recovery().run(NOW)).isEmpty();
    assertThat(recovery().run(Duration.ZERO, Manner.BY_OPERATOR)).isEmpty();
    store.pass(Duration.ofDays(1));
    assertThat(recovery().run(Duration.ZERO, Manner.BY_OPERATOR)).isEmpty();
    assertThat(data()).containsExactly(left);
  }

  @Test
  void whereAllIsQuietItCostsTwoListingsAndDecidesNothing() throws IOException {
    insert(job.smallTask("a", "day=1/0").task("b", "day=1/1"));
    store.resetCounts();
    EngineStatement replacement = begin(DAY_1);
    assertThat(replacement.scope()).isEmpty();
    Optional<LogEntry> cleared = end(replacement, DAY_1);
    assertThat(store.requests()).containsExactly(Map.entry(RequestType.LIST, 2L));
    assertThat(cleared).isEmpty();
    assertThat(job.log().tail().highest()).isEqualTo(1);
  }

  @Test
  void itIsAloneUntilAnotherJobIsDecided() throws IOException {
    EngineStatement statement = begin(DAY_1);
    store.resetCounts();
    assertThat(statement.isAlone()).isTrue();
    assertThat(store.requests()).containsExactly(Map.entry(RequestType.LIST, 1L));
    job.task("a", "day=2/0").decideAndDie(Overwrite.none());
    assertThat(statement.isAlone()).isFalse();
    assertThat(begin(DAY_1).isAlone()).as("beside one that is open").isFalse();
  }

  @Test
  void ofAnInterruptedInsertNothingIsLeftAndNothingComesBack() throws IOException {
    job.task("a", "day=1/0", "day=1/1").smallTask("b", "day=1/2");
    LogEntry open = job.decideAndDie(Overwrite.none());
    EngineStatement replacement = begin(DAY_1);
    assertThat(replacement.scope()).containsExactlyElementsOf(DAY_1);
    engineDeletes();

    LogEntry cleared = end(replacement, DAY_1).orElseThrow();

    assertThat(cleared.follows()).containsExactly(open.number());
    LogEntry entry = job.log().read(cleared.number()).orElseThrow();
    assertThat(entry.kind()).isEqualTo(EntryKind.REPLACE);
    assertThat(entry.replaces()).containsExactlyElementsOf(DAY_1);
    assertThat(job.log().plan(entry).replacedCount())
        .as("objects that the engine deletes")
        .isZero();
    assertThatNothingComesBack();
  }

  @Test
  void whatTheEngineHasSeenAndDeletedIsNotWaitedFor() throws IOException {
    job.task("a", "day=1/0", "day=1/1").decideAndDie(Overwrite.none());
    complete(upload(job, 0));
    EngineStatement replacement = begin(DAY_1);
    engineDeletes();
    store.resetCounts();
    end(replacement, DAY_1);
    assertThat(waited).isZero();
    assertThat(store.requests()).containsEntry(RequestType.COMPLETE_UPLOAD, 1L);
    assertThatNothingComesBack();
  }

  /** As LOAD DATA does with a file whose name is that of a MapReduce job's. */
  @Test
  void whatTheEngineHasWrittenUnderAPlainNameStays() throws IOException {
    job.withPlainNames()
        .task("a", "day=1/seen", "day=1/pending", "day=1/unseen", "day=1/again")
        .smallTask("b", "day=1/small");
    job.decideAndDie(Overwrite.none());
    complete(upload(job, 0));
    complete(upload(job, 3));
    EngineStatement replacement = begin(DAY_1);
    engineDeletes();
    complete(upload(job, 2));
    List<String> names = List.of("day=1/pending", "day=1/seen", "day=1/small");
    names.forEach(name -> store.plant(job.key(name), LOADED));
    store.resetCounts();

    end(replacement, DAY_1);

    for (String name : names) {
      assertThat(store.content(job.key(name))).isEqualTo(LOADED);
    }
    assertThat(store.requests())
        .as("one for each file before its deletion, and one where a Complete was refused")
        .containsEntry(RequestType.HEAD, 7L)
        .containsEntry(RequestType.COMPLETE_UPLOAD, 3L)
        .containsEntry(RequestType.ABORT_UPLOAD, 2L)
        .containsEntry(RequestType.BULK_DELETE, 1L);
    assertThatNothingComesBack(names.stream().map(job::key).toArray(String[]::new));
  }

  /** LOAD DATA OVERWRITE, up to the moment at which Hive has moved its file. */
  private EngineStatement load(String key) throws IOException {
    EngineStatement load = begin(DAY_1);
    engineDeletes();
    store.plant(key, LOADED);
    return load;
  }

  private void assertThatTheLoadedFileStays(String key) throws IOException {
    assertThatNothingComesBack(key);
    assertThat(store.content(key)).isEqualTo(LOADED);
  }

  /**
   * @param whole whether the statement is over before the recovery goes on
   */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aLoadedFileIsNotReplacedByARecoveryThatHasSlept(boolean whole) throws IOException {
    String key = job.withPlainNames().task("a", "day=1/0").key("day=1/0");
    job.decideAndDie(Overwrite.none());
    AtomicReference<EngineStatement> load = new AtomicReference<>();
    ObjectStore beside =
        BeforeRequest.first(
            store,
            "completeUploadIfAbsent",
            () -> {
              store.pass(Duration.ofHours(1));
              load.set(load(key));
              if (whole) {
                end(load.get(), DAY_1);
              }
            });
    List<Recovered> results =
        new Recovery(
                path -> beside,
                new CommitLog(path -> beside, TestJob.LOG),
                Waits.in(this::pass, job.settings()),
                new Engine())
            .run(Duration.ZERO, Manner.BY_OPERATOR);
    assertThat(results)
        .hasExactlyElementsOfTypes(whole ? Recovered.Completed.class : Recovered.Failed.class);
    if (!whole) {
      end(load.get(), DAY_1);
    }
    assertThatTheLoadedFileStays(key);
  }

  /** The log is quiet then, so that the statement has no entry. */
  @Test
  void aFileThatWasLoadedBetweenTheListingAndTheDecisionOfAJobIsNotReplaced() throws IOException {
    String key = job.withPlainNames().task("a", "day=1/0").key("day=1/0");
    ObjectStore beside =
        BeforeRequest.first(store, "putObjectIfAbsent", () -> end(load(key), DAY_1));
    assertThatThrownBy(() -> insert(job.through(path -> beside)))
        .hasMessageContaining("another program has written " + job.path("day=1/0"));
    assertThat(store.content(key)).isEqualTo(LOADED);

    store.deleteObjects(List.of(key));
    assertThat(recovery().run(Duration.ZERO, Manner.BY_OPERATOR))
        .hasExactlyElementsOfTypes(Recovered.Completed.class);
    assertThat(store.content(key)).isNotEqualTo(LOADED);
  }

  @Test
  void anEntryThatHasComeAndEndedMeanwhileIsRemovedWithoutAWait() throws IOException {
    EngineStatement replacement = begin(DAY_1);
    job.task("a", "day=1/0", "day=1/1", "day=2/0");
    LogEntry between = job.decideAndDie(Overwrite.none());
    complete(upload(job, 0));
    engineDeletes();
    complete(upload(job, 1));
    complete(upload(job, 2));
    job.log().mark(between, EntryState.COMPLETE, EndNote.NOTHING);
    store.resetCounts();

    LogEntry cleared = end(replacement, DAY_1).orElseThrow();

    assertThat(cleared.follows()).containsExactly(between.number());
    assertThat(waited).isZero();
    assertThat(store.requests()).doesNotContainKey(RequestType.COMPLETE_UPLOAD);
    assertThatNothingComesBack(job.key("day=2/0"));
  }

  @Test
  void theConditionIsCheckedAgainAfterALostNumber() throws IOException {
    job.task("a", "day=1/0").decideAndDie(Overwrite.none());
    TestJob ofNewTable = job("job-2").task("a", "day=1/1");
    AtomicBoolean isThereAgain = new AtomicBoolean();
    ObjectStore through =
        BeforeRequest.of(
            store,
            "putObjectIfAbsent",
            () -> {
              if (!isThereAgain.getAndSet(true)) {
                complete(ofNewTable.decideAndDie(Overwrite.none()), ofNewTable);
              }
            });
    EngineStatement replacement = begin(through, DAY_1);
    engineDeletes();
    AtomicInteger checks = new AtomicInteger();
    Optional<LogEntry> cleared =
        replacement.commit(
            statement(),
            DAY_1,
            since -> {
              assertThat(since)
                  .extracting(OutputJob::id)
                  .isEqualTo(isThereAgain.get() ? List.of("job-2") : List.of());
              checks.incrementAndGet();
              return !isThereAgain.get();
            });
    assertThat(cleared).isEmpty();
    assertThat(checks).hasValue(2);
    assertThat(data()).containsExactly(ofNewTable.key("day=1/1"));
    assertThat(job.log().tail().highest()).isEqualTo(2);
  }
}
