package io.zerorename.core.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.DirectorySet;
import io.zerorename.core.log.EndNote;
import io.zerorename.core.log.Ending;
import io.zerorename.core.log.EntryDraft;
import io.zerorename.core.log.EntryKind;
import io.zerorename.core.log.LogEntry;
import io.zerorename.core.log.OutputJob;
import io.zerorename.core.log.PlanWriter;
import io.zerorename.core.store.RequestType;
import io.zerorename.core.store.StoreException.Kind;
import io.zerorename.testing.FaultPlan.Moment;
import io.zerorename.testing.InMemoryObjectStore;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A destination has one log: two would know nothing of each other, and there would be no order. */
class SecondLogTest {
  private static final Path TABLE = new Path("s3a://bucket/warehouse/t");

  @TempDir java.nio.file.Path scratch;

  private final Configuration conf = new Configuration(false);
  private final InMemoryObjectStore store = new InMemoryObjectStore("bucket");
  private WorkDirectory work;

  @BeforeEach
  void workDirectory() throws IOException {
    work = new WorkDirectory(FileSystem.getLocal(conf), new Path(scratch.toUri()));
  }

  private CommitLogs logs() {
    return new CommitLogs(store, conf, Optional.of(work));
  }

  private boolean isOnCluster(Path log) {
    return log.getParent().equals(work.commits());
  }

  /** A job whose log is on the cluster file system, and that may not write beside the table. */
  private Path chooseWithoutRights() throws IOException {
    store.faults().failFrom(RequestType.PUT, 1, Moment.BEFORE_EFFECT, Kind.ACCESS_DENIED);
    Path log = logs().choose(TABLE);
    store.faults().clear();
    assertThat(isOnCluster(log)).isTrue();
    return log;
  }

  /** Its process is killed right after. */
  private LogEntry decide(CommitLog log) throws IOException {
    PlanWriter writer = log.draft(new OutputJob("job-1", "INSERT INTO db.t", List.of(TABLE)));
    writer.finish();
    return log.decide(
        EntryDraft.deciding(
            EntryKind.ADD,
            writer,
            List.of(),
            new DirectorySet(List.of()),
            new TreeSet<>(),
            Duration.ZERO),
        log.tail());
  }

  @Test
  void aMomentWithoutCredentialsChoosesNoOtherLog() throws IOException {
    store.faults().fail(RequestType.PUT, 1, Moment.BEFORE_EFFECT, Kind.NO_CREDENTIALS);
    assertThatThrownBy(() -> logs().choose(TABLE)).hasMessageContaining("NO_CREDENTIALS");
    assertThat(isOnCluster(logs().choose(TABLE))).isFalse();
  }

  @Test
  void whereItIsNotKnownWhetherThereIsALogInTheBucketNoneIsBegunBesideIt() throws IOException {
    CommitLog inBucket = CommitLog.inBucket(store, logs().inBucket(TABLE));
    decide(inBucket);
    for (Kind kind : List.of(Kind.ACCESS_DENIED, Kind.NO_CREDENTIALS, Kind.AMBIGUOUS)) {
      store.faults().failFrom(RequestType.PUT, 1, Moment.BEFORE_EFFECT, Kind.ACCESS_DENIED);
      store.faults().failFrom(RequestType.LIST, 1, Moment.BEFORE_EFFECT, kind);
      assertThatThrownBy(() -> logs().choose(TABLE))
          .as("%s", kind)
          .isInstanceOf(IOException.class)
          .hasMessageContainingAll(TABLE.toString(), inBucket.location(), "cannot be seen");
      store.faults().clear();
    }
  }

  @Test
  void theBucketsLogIsNotBegunBesideOneOnTheClusterThatIsOpen() throws IOException {
    Path chosen = chooseWithoutRights();
    CommitLog onCluster = logs().at(chosen);
    LogEntry open = decide(onCluster);

    for (int job = 0; job < 2; job++) {
      assertThatThrownBy(() -> logs().choose(TABLE))
          .isInstanceOf(IOException.class)
          .hasMessageContainingAll(
              TABLE.toString(), chosen.toString(), "zerorename recover " + TABLE);
    }
    assertThat(isOnCluster(logs().choose(new Path("s3a://bucket/warehouse/other")))).isFalse();

    onCluster.end(open, Ending.COMPLETE, EndNote.NOTHING);
    assertThat(isOnCluster(logs().choose(TABLE))).isFalse();
  }

  /** The log was chosen when the rights were missing, and they came before the decision. */
  @Test
  void oneThatIsOpenIsFoundAlthoughTheBucketWasTriedBeforeOnThisDay() throws IOException {
    Path chosen = chooseWithoutRights();
    assertThat(isOnCluster(logs().choose(TABLE))).isFalse();
    decide(logs().at(chosen));
    store.resetCounts();
    assertThatThrownBy(() -> logs().choose(TABLE)).hasMessageContaining("zerorename recover");
    assertThat(store.requests()).as("it costs no request").isEqualTo(Map.of());
  }
}
