package io.zerorename.core.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.commit.Calls;
import io.zerorename.core.commit.InMemoryFiles;
import io.zerorename.core.commit.SimulatedFileSystem;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.RequestType;
import io.zerorename.core.store.StoreException;
import io.zerorename.core.store.StoreException.Kind;
import io.zerorename.testing.FaultPlan.Moment;
import io.zerorename.testing.InMemoryObjectStore;
import io.zerorename.testing.InMemoryObjectStore.Variant;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Where decisions are kept. */
class CommitLogsTest {
  private static final Path TABLE = new Path("s3a://bucket/warehouse/t");

  private InMemoryObjectStore store = new InMemoryObjectStore("bucket");
  private final InMemoryFiles files = new InMemoryFiles();

  private Optional<WorkDirectory> work() {
    SimulatedFileSystem fileSystem = new SimulatedFileSystem("check", files, Calls.undisturbed());
    return Optional.of(new WorkDirectory(fileSystem, new Path("sim://check/records")));
  }

  private CommitLogs logs() {
    return new CommitLogs(store, new Configuration(false));
  }

  @ParameterizedTest
  @CsvSource({
    "s3a://bucket/warehouse/t, s3a://bucket/warehouse, t-",
    "s3a://bucket/out/run 12:30, s3a://bucket/out, run_12_30-"
  })
  void theLogIsKeptBesideTheTable(Path table, Path parent, String name) throws IOException {
    Path log = logs().check(table, Optional.empty());

    assertThat(log.getParent()).isEqualTo(new Path(parent, "_zerorename"));
    assertThat(log.getName()).startsWith(name);
  }

  @Test
  void logsOfDifferentTablesDifferAndOfOneAreTheSameByAnyScheme() {
    assertThat(CommitLogs.nameOf(new Path("s3a://bucket/a/t")))
        .isNotEqualTo(CommitLogs.nameOf(new Path("s3a://bucket/b/t")))
        .isNotEqualTo(CommitLogs.nameOf(new Path("s3a://other/a/t")))
        .isEqualTo(CommitLogs.nameOf(new Path("s3://bucket/a/t")));
  }

  @Test
  void itIsLookedAtOnceADay() throws IOException {
    logs().check(TABLE, work());
    store.resetCounts();
    logs().check(TABLE, work());
    assertThat(store.requests()).as("noted on the cluster").isEmpty();
    logs().check(TABLE, Optional.empty());
    assertThat(store.requests()).as("noted in the bucket").isEqualTo(Map.of(RequestType.PUT, 1L));
  }

  @Test
  void aStoreThatIgnoresTheConditionIsFoundOutAndRefused() throws IOException {
    store = new InMemoryObjectStore("bucket", Variant.aws().withConditionsIgnored());
    for (Optional<WorkDirectory> work : List.of(work(), work(), Optional.<WorkDirectory>empty())) {
      assertThatThrownBy(() -> logs().check(TABLE, work))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("ZR-3103")
          .hasMessageContaining("s3a://bucket/warehouse/_zerorename")
          .hasMessageContaining("If-None-Match")
          .hasMessageContaining("zerorename.commit.dir");
    }
    assertThat(store.keys()).as("no log").allMatch(key -> key.contains("_zerorename/checks/_"));
  }

  @Test
  void aDirectoryOnAnotherStoreKeepsTheLogOfOneWithoutConditions() throws IOException {
    InMemoryObjectStore without =
        new InMemoryObjectStore("bucket", Variant.aws().withConditionsIgnored());
    InMemoryObjectStore with = new InMemoryObjectStore("logs");
    Configuration conf = new Configuration(false);
    conf.set("zerorename.commit.dir", "s3a://logs/tables");
    CommitLogs logs =
        new CommitLogs(path -> ObjectKeys.bucketOf(path).equals("logs") ? with : without, conf);
    assertThat(logs.check(TABLE, work()).getParent()).isEqualTo(new Path("s3a://logs/tables"));
    assertThat(without.requests()).isEmpty();
  }

  @Test
  void aDirectoryThatMayNotBeWrittenToIsRefused() throws IOException {
    store.faults().failFrom(RequestType.PUT, 1, Moment.BEFORE_EFFECT, Kind.ACCESS_DENIED);
    assertThatThrownBy(() -> logs().check(TABLE, work()))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("ZR-3103")
        .hasMessageContaining("cannot be written conditionally")
        .hasMessageContaining("planned fault")
        .hasMessageContaining("Grant these credentials the right");
    assertThat(store.keys()).isEmpty();
    store.faults().clear();
    assertThat(logs().check(TABLE, work()).toUri().getScheme())
        .as("a bad result is not noted")
        .isEqualTo("s3a");
  }

  @Test
  void aStoreThatDoesNotAnswerProvesNothing() {
    for (Kind kind : List.of(Kind.AMBIGUOUS, Kind.NO_CREDENTIALS)) {
      for (int request = 1; request <= 2; request++) {
        store = new InMemoryObjectStore("bucket");
        store.faults().failFrom(RequestType.PUT, request, Moment.BEFORE_EFFECT, kind);
        assertThatThrownBy(() -> logs().check(TABLE, work()))
            .isInstanceOfSatisfying(StoreException.class, e -> assertThat(e.kind()).isEqualTo(kind))
            .hasMessageContaining("planned fault");
      }
    }
    assertThat(files.snapshot()).noneMatch(file -> file.contains("/checks/"));
  }
}
