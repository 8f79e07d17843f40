package io.zerorename.magic.job;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.commit.CommitFailedException;
import io.zerorename.core.config.CoreKeys;
import io.zerorename.core.log.NotWrittenException;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.testing.BeforeRequest;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathExistsException;
import org.apache.hadoop.mapreduce.JobStatus;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Destinations with files in them, and names that are taken. */
class DestinationTest extends SimulatedJobs {
  @Test
  void theJobWithoutFilesLeavesADirectory() throws IOException {
    job.with("mapreduce.fileoutputcommitter.marksuccessfuljobs", "false").setUp();
    job.commit();
    assertThat(job.files()).containsExactly("");
  }

  @Test
  void intoADestinationWithFilesNamesCarryTheJobsId() throws IOException {
    store.plant("out/part-m-00000", "old".getBytes(UTF_8));
    job.setUp();
    job.task(0, 0, "part-m-00000", "x/part.snappy.parquet", "map/data", "map/index", ".hidden");
    job.commit();
    String id = "-" + job.uuid();
    assertThat(job.files())
        .containsExactlyInAnyOrder(
            "_SUCCESS",
            "part-m-00000",
            "part-m-00000" + id,
            "x/part" + id + ".snappy.parquet",
            "map" + id + "/data",
            "map" + id + "/index",
            ".hidden" + id);
    assertThat(store.content("out/part-m-00000")).isEqualTo("old".getBytes(UTF_8));
  }

  @Test
  void markersAndHiddenFilesDoNotMakeADestinationOneWithFiles() throws IOException {
    store.plant("out/", new byte[0]);
    store.plant("out/_partition.lst", new byte[1]);
    store.plant("out/.hidden/file", new byte[1]);
    job.with(MapReduceKeys.CONFLICT_MODE.name(), "fail").setUp();
    job.task(0, 0, "a");
    job.commit();
    assertThat(job.files()).containsExactly("", ".hidden/file", "_SUCCESS", "_partition.lst", "a");
  }

  @Test
  void failRefusesADestinationWithFiles() {
    store.plant("out/old", new byte[1]);
    job.with(MapReduceKeys.CONFLICT_MODE.name(), "fail");
    assertThatThrownBy(job::setUp)
        .isInstanceOf(PathExistsException.class)
        .hasMessageContaining("zerorename.conflict.mode is fail");
  }

  @Test
  void failRefusesADestinationWhoseFilesAreCommittedAndNotYetThere() throws IOException {
    interrupt(job);
    SimulatedJob next = other(2).with(MapReduceKeys.CONFLICT_MODE.name(), "fail");
    assertThatThrownBy(next::setUp)
        .isInstanceOf(PathExistsException.class)
        .hasMessageContaining("is committed there and not complete")
        .hasMessageContaining("zerorename.conflict.mode is fail");
    assertThat(job.files()).isEmpty();
  }

  /** Their names could be the same. */
  @Test
  void ofTwoJobsThatMustFindNoFilesTheLaterOneFailsBeforeItsDecision() throws IOException {
    SimulatedJob first = job.with(MapReduceKeys.CONFLICT_MODE.name(), "fail").setUp();
    first.task(0, 0, "a");
    SimulatedJob second = other(2).with(MapReduceKeys.CONFLICT_MODE.name(), "fail").setUp();
    second.task(0, 0, "b");
    ObjectStore slow =
        BeforeRequest.of(
            store,
            "putObjectIfAbsent",
            () -> {
              if (first.files().isEmpty()) {
                first.commit();
              }
            });

    assertThatThrownBy(() -> second.committer(path -> slow).commitJob(second.context()))
        .isInstanceOf(CommitFailedException.class)
        .hasCauseInstanceOf(NotWrittenException.class)
        .hasMessageContaining(
            "has been committed to s3a://bucket/out at the same time, as entry 1");

    assertThat(store.pendingKeys()).containsExactly("out/b");
    second.abort();
    assertThat(store.pendingKeys()).isEmpty();
    assertThat(first.files()).containsExactly("_SUCCESS", "a");
  }

  private SimulatedJob other(int number) {
    return new SimulatedJob(store, directory, number);
  }

  /** None of its files is visible. */
  private void interrupt(SimulatedJob interrupted) throws IOException {
    interrupted.setUp();
    interrupted.task(0, 0, "a", "b");
    interrupted.breakOffBefore(1);
  }

  @Test
  void replaceDeletesOldFilesOnceAllNewOnesAreThere() throws IOException {
    store.plant("out/old", new byte[1]);
    store.plant("out/deep/old", new byte[1]);
    store.plant("outside", new byte[1]);
    job.with(MapReduceKeys.CONFLICT_MODE.name(), "replace").setUp();
    job.task(0, 0, "new");
    job.breakOffBefore(1);
    assertThat(job.files()).containsExactly("deep/old", "old");
    job.restarted().setUp().commit();
    assertThat(job.files()).containsExactly("_SUCCESS", "new-" + job.uuid());
    assertThat(store.keys()).contains("outside");
  }

  /** Also in a later master, which has not seen the destination at the job's begin. */
  @ParameterizedTest
  @ValueSource(strings = {"file", "s3a"})
  void replaceFailsOnAConflictIfItsUserWantsThat(String records) throws IOException {
    store.plant("out/old", new byte[1]);
    store.pass(Duration.ofMinutes(1));
    SimulatedJob other = new SimulatedJob(store, directory, 2);
    for (SimulatedJob each : List.of(job, other)) {
      each.with(CoreKeys.CONFLICT.name(), "fail").withRecordsOn(records);
    }
    job.with(MapReduceKeys.CONFLICT_MODE.name(), "replace").setUp();
    job.task(0, 0, "new");
    other.setUp();
    other.task(0, 0, "more");
    other.commit();
    List<String> files = job.files();
    assertThat(files).containsExactly("_SUCCESS", "more-" + other.uuid(), "old");

    MagicCommitter later = job.restarted().committer();
    later.setupJob(job.context());
    assertThatThrownBy(() -> later.commitJob(job.context()))
        .isInstanceOf(CommitFailedException.class)
        .hasMessageContaining("ZR-1139: what it replaces has changed since it began at ")
        .hasMessageContaining("of job " + other.uuid());
    later.abortJob(job.context(), JobStatus.State.FAILED);

    assertThat(job.files()).isEqualTo(files);
    assertThat(store.pendingKeys()).isEmpty();
  }

  @Test
  void aFileThatAppearedUnderAPlainNameFailsTheCommitBeforeItsDecision() throws IOException {
    for (String mode : List.of("append", "replace", "fail")) {
      store.deleteObjects(store.keys());
      SimulatedJob late = new SimulatedJob(store, directory, mode.length());
      late.with(MapReduceKeys.CONFLICT_MODE.name(), mode).setUp();
      late.task(0, 0, "a", "b");
      store.plant("out/b", "another job's".getBytes(UTF_8));
      assertThatThrownBy(late::commit)
          .isInstanceOf(CommitFailedException.class)
          .hasMessageContaining("s3a://bucket/out/b exists already");
      late.abort();
      assertThat(late.files()).containsExactly("b");
      assertThat(store.pendingKeys()).isEmpty();
    }
  }

  @Test
  void recordsAmongTheFilesOfAJobAreRefused() throws IOException {
    job.with(CoreKeys.WORK_DIR.name(), "s3a://bucket/out/_records");
    MagicCommitter committer = job.committer(store);
    assertThatThrownBy(() -> committer.setupJob(job.context()))
        .hasMessageContaining("neither may lie in the other")
        .hasMessageContaining("Set zerorename.work.dir");
    assertThat(store.requests()).isEmpty();
  }

  /** Spark SQL constructs the class by itself where it is set as the committer of Parquet. */
  @Test
  void aDestinationOnAnotherFileSystemIsRefusedWithTheSettingThatTakesIt() {
    assertThatThrownBy(() -> new MagicCommitter(new Path("file:///out"), job.attempt(0, 0)))
        .hasMessageContaining("it is not on S3A")
        .hasMessageContaining("BindingParquetOutputCommitter");
  }

  /** Files of a MapFile keep their names, but not those that are only called so. */
  @ParameterizedTest
  @CsvSource({
    "part-r-00000, part-r-00000-ID",
    "part-r-00000.c000.snappy.parquet, part-r-00000-ID.c000.snappy.parquet",
    ".hidden.crc, .hidden-ID.crc",
    "ds=1.5/part-r-00000, ds=1.5/part-r-00000-ID",
    "part-r-00000/bloom, part-r-00000-ID/bloom",
    "ds=1/part-r-00000/data, ds=1/part-r-00000-ID/data",
    "ds=1/data, ds=1/data-ID",
  })
  void idIsInTheFilesNameBeforeTheFirstDot(String file, String expected) {
    assertThat(unique(file)).isEqualTo(expected);
  }

  private static String unique(String file) {
    String path =
        new UniqueNames(SimulatedJob.DESTINATION, "ID")
            .apply(new Path(SimulatedJob.DESTINATION, file))
            .toString();
    return path.substring(SimulatedJob.DESTINATION.toString().length() + 1);
  }
}
