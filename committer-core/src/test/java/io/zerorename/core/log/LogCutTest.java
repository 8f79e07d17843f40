package io.zerorename.core.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.config.CoreKeys;
import io.zerorename.core.store.RequestType;
import io.zerorename.core.store.StoreException;
import io.zerorename.core.store.StoreException.Kind;
import io.zerorename.core.store.UploadedPart;
import io.zerorename.core.upload.PendingUpload;
import io.zerorename.testing.Decisions;
import io.zerorename.testing.FaultPlan.Moment;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.TreeSet;
import java.util.UUID;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;

/** What of a log is deleted after days, and what stays. */
class LogCutTest extends LogFixture {
  private static final String PREFIX = "_zerorename/t-1/";

  private final CommitLog log = log();

  /** An entry with one file, whose plan is a document of its own. */
  private LogEntry decide(EntryKind kind, String jobId, Long... follows) throws IOException {
    OutputJob job = job(jobId);
    return Decisions.decide(
        log,
        new LogEntry(
            0,
            kind,
            UUID.randomUUID().toString(),
            job,
            List.of(DAY_1),
            kind == EntryKind.REPLACE ? List.of(DAY_1) : List.of(),
            new TreeSet<>(List.of(follows)),
            new TreeSet<>(),
            List.of(document(job)),
            PlanChunk.EMPTY),
        log.tail());
  }

  private String document(OutputJob job) throws IOException {
    PendingUpload upload =
        new PendingUpload(
            new Path(DAY_1, job.id()),
            "upload",
            List.of(new UploadedPart(1, "etag", 1)),
            job.id(),
            "a",
            "identity");
    byte[] chunk = PlanChunk.JSON.write(new PlanChunk(List.of(upload), List.of(), List.of()));
    String name = EntryNames.chunk(job.id(), UUID.randomUUID().toString(), chunk);
    records().putIfAbsent(name, chunk);
    return name;
  }

  private LogEntry ended(String jobId) throws IOException {
    LogEntry entry = decide(EntryKind.ADD, jobId);
    log.mark(entry, EntryState.COMPLETE, EndNote.NOTHING);
    return entry;
  }

  private List<Long> numbers() throws IOException {
    return log.tailDownTo(1).numbers();
  }

  @Test
  void ofOldEndedEntriesTheHighestStays() throws IOException {
    ended("a");
    ended("b");
    LogEntry damaged = decide(EntryKind.ADD, "c");
    log.mark(damaged, EntryState.DAMAGED, EndNote.NOTHING);
    LogEntry gone = decide(EntryKind.ADD, "d");
    log.mark(gone, EntryState.SUPERSEDED, EndNote.NOTHING);
    assertThat(log.cut(CoreKeys.FEWEST_LOG_DAYS)).as("nothing younger").isZero();
    assertThat(numbers()).hasSize(4);

    store.pass(Duration.ofDays(8));

    assertThat(log.cut(30)).as("the user keeps them longer").isZero();
    assertThat(log.cut(CoreKeys.FEWEST_LOG_DAYS)).isEqualTo(3);
    assertThat(numbers()).containsExactly(gone.number());
    assertThat(log.cut(CoreKeys.FEWEST_LOG_DAYS)).isZero();
    assertThat(ended("e").number()).as("numbers go on").isEqualTo(5);
  }

  @Test
  void anEntryThatHasNotEndedKeepsAllAboveIt() throws IOException {
    ended("a");
    LogEntry open = decide(EntryKind.ADD, "b");
    LogEntry above = ended("c");
    store.pass(Duration.ofDays(30));

    assertThat(log.cut(CoreKeys.FEWEST_LOG_DAYS)).isEqualTo(1);

    assertThat(numbers()).containsExactly(open.number(), above.number());
    assertThat(log.tail().isEnded(above.number())).isTrue();
    assertThat(log.plan(log.read(open.number()).orElseThrow()).uploads().next().destination())
        .isEqualTo(new Path(DAY_1, "b"));

    log.mark(open, EntryState.SUPERSEDED, EndNote.NOTHING);
    assertThat(log.cut(CoreKeys.FEWEST_LOG_DAYS))
        .as("who has listed it before may decide for a day")
        .isZero();
    store.pass(Duration.ofDays(2));
    assertThat(log.cut(CoreKeys.FEWEST_LOG_DAYS)).isEqualTo(1);
    assertThat(numbers()).containsExactly(above.number());
  }

  /** Whoever executes that to its end must find what the other has written. */
  @Test
  void whatAnOpenEntryFollowsStays() throws IOException {
    ended("a");
    LogEntry followed = decide(EntryKind.ADD, "b");
    LogEntry open = decide(EntryKind.REPLACE, "c", followed.number());
    log.mark(followed, EntryState.COMPLETE, EndNote.NOTHING);
    store.pass(Duration.ofDays(8));

    assertThat(log.cut(CoreKeys.FEWEST_LOG_DAYS)).isEqualTo(1);

    assertThat(numbers()).containsExactly(followed.number(), open.number());
    assertThat(log.plan(log.read(followed.number()).orElseThrow()).fileCount()).isEqualTo(1);
    assertThat(store.keys()).contains(PREFIX + followed.chunks().get(0));
  }

  @Test
  void documentsOfPlansThatWereNeverDecidedGoAfterTheSameTime() throws IOException {
    LogEntry open = decide(EntryKind.ADD, "open");
    document(job("dropped"));
    assertThat(store.keys()).anyMatch(key -> key.contains("/parts/_dropped."));
    log.cut(CoreKeys.FEWEST_LOG_DAYS);
    assertThat(store.keys()).anyMatch(key -> key.contains("/parts/_dropped."));

    store.pass(Duration.ofDays(8));
    log.cut(CoreKeys.FEWEST_LOG_DAYS);

    assertThat(store.keys())
        .noneMatch(key -> key.contains("/parts/_dropped."))
        .contains(PREFIX + open.chunks().get(0));
  }

  @Test
  void entriesGoBeforeTheirMarkersAndAMarkerWithoutItsEntrySaysNothing() throws IOException {
    ended("a");
    ended("b");
    LogEntry highest = ended("c");
    store.pass(Duration.ofDays(8));
    store.faults().fail(RequestType.BULK_DELETE, 2, Moment.BEFORE_EFFECT, Kind.ACCESS_DENIED);
    assertThatThrownBy(() -> log.cut(CoreKeys.FEWEST_LOG_DAYS)).isInstanceOf(StoreException.class);
    assertThat(store.keys()).filteredOn(key -> key.contains(".ended.")).hasSize(3);
    assertThat(numbers()).containsExactly(highest.number());

    log.cut(CoreKeys.FEWEST_LOG_DAYS);

    assertThat(store.keys())
        .filteredOn(key -> key.contains(".ended."))
        .singleElement()
        .asString()
        .endsWith(".c");
  }
}
