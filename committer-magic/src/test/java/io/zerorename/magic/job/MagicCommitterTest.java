package io.zerorename.magic.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.zerorename.core.config.CoreKeys;
import io.zerorename.core.config.InvalidSettingException;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.testing.BeforeRequest;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.s3a.Statistic;
import org.apache.hadoop.fs.s3a.commit.files.SuccessData;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.JobContextImpl;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What a job is to users, and to tools that were written for S3A's committers: its files, its
 * costs, its report, and what it says of bad input.
 */
class MagicCommitterTest extends SimulatedJobs {
  @Test
  void theFirstJobOfADayDeletesOldEntriesOnceItHasCommitted() throws IOException {
    SimulatedJob earlier = new SimulatedJob(store, directory, 99);
    earlier.setUp();
    earlier.task(0, 0, "a");
    earlier.committer().commitJob(earlier.context());
    store.pass(Duration.ofDays(8));
    List<Boolean> complete = new ArrayList<>();
    ObjectStore watched =
        BeforeRequest.of(
            store,
            "deleteObjects",
            () -> complete.add(store.keys().contains("out/_SUCCESS") && entries() == 2));
    MagicCommitter master = job.committer(path -> watched);
    master.setupJob(job.context());
    job.task(0, 0, "b");
    master.commitJob(job.context());
    assertThat(complete).isNotEmpty().startsWith(true);
    assertThat(entries()).isEqualTo(1);
  }

  /** In the log, without markers. */
  private long entries() {
    return store.keys().stream().filter(key -> key.matches(".*/log/_\\d+")).count();
  }

  @Test
  void successNamesTheFilesUpToALimit() throws IOException {
    job.with(MapReduceKeys.SUCCESS_FILE_LIMIT.name(), "2").setUp();
    job.task(0, 0, "c", "a", "b");
    job.commit();
    JsonNode success = json();
    assertThat(success.path("filenames").toString()).isEqualTo("[\"/out/a\",\"/out/b\"]");
    assertThat(success.path("metrics").path("files").asInt()).isEqualTo(3);
    assertThat(success.path("metrics").path("job_commit_requests_complete_upload").asInt())
        .isEqualTo(3);
    assertThat(success.path("diagnostics").path("entry").asText()).as("of the log").isEqualTo("1");
    assertThat(success.path("success").asBoolean()).isTrue();
  }

  @Test
  void statisticsHaveTheNamesOfS3AsCommitters() throws IOException {
    job.setUp();
    SimulatedJob.Running task = job.start(0, 0).write("a").write("bc");
    task.commit();
    MagicCommitter ofJob = job.committer();
    ofJob.commitJob(job.context());

    assertThat(task.committer().getIOStatistics().counters())
        .isEqualTo(
            Map.of(
                Statistic.COMMITTER_TASKS_SUCCEEDED.getSymbol(), 1L,
                Statistic.COMMITTER_COMMITS_CREATED.getSymbol(), 2L,
                Statistic.COMMITTER_BYTES_UPLOADED.getSymbol(), 3L));
    Map<String, Long> expected =
        Map.of(
            Statistic.COMMITTER_JOBS_SUCCEEDED.getSymbol(), 1L,
            Statistic.COMMITTER_COMMITS_COMPLETED.getSymbol(), 2L,
            Statistic.COMMITTER_BYTES_COMMITTED.getSymbol(), 3L,
            Statistic.COMMITTER_COMMITS_ABORTED.getSymbol(), 0L,
            Statistic.COMMITTER_COMMIT_JOB.getSymbol(), 1L);
    assertThat(ofJob.getIOStatistics().counters())
        .containsAllEntriesOf(expected)
        .containsEntry("zerorename_files", 2L);
    assertThat(ofJob.getIOStatistics().meanStatistics())
        .containsKey(Statistic.COMMITTER_COMMIT_JOB.getSymbol() + ".mean");
    JsonNode success = json();
    expected.forEach(
        (name, value) ->
            assertThat(success.path("iostatistics").path("counters").path(name).asLong(-1))
                .as(name)
                .isEqualTo(value));
    assertThat(success.path("metrics").has("files")).isTrue();
  }

  @Test
  void engineIsToldThatALongCommitGoesOn() throws IOException {
    job.with(CoreKeys.PROGRESS_INTERVAL.name(), "1").setUp();
    job.task(0, 0, "a");
    CountDownLatch told = new CountDownLatch(1);
    ObjectStore slow =
        BeforeRequest.of(
            store, "completeUpload", () -> assertThat(told.await(5, TimeUnit.MINUTES)).isTrue());

    job.committer(path -> slow)
        .commitJob(
            new JobContextImpl(new JobConf(job.conf()), job.context().getJobID(), told::countDown));

    assertThat(job.files()).containsExactly("_SUCCESS", "a");
  }

  @Test
  void badSettingsAndPlacesAreOneClearErrorEach() throws IOException {
    assertThatThrownBy(() -> with(MapReduceKeys.CONFLICT_MODE.name(), "overwrite").setUp())
        .isInstanceOf(InvalidSettingException.class)
        .hasMessageContaining("zerorename.conflict.mode")
        .hasMessageContaining("append, fail, replace");
    MagicCommitter atRoot = new MagicCommitter(new Path("s3a://bucket/"), job.context());
    assertThatThrownBy(() -> atRoot.setupJob(job.context()))
        .hasMessageContaining("s3a://bucket/: it is the root of a bucket");
    java.nio.file.Path file = Files.createFile(directory.resolve("file"));
    assertThatThrownBy(() -> with(CoreKeys.WORK_DIR.name(), file.toUri().toString()).setUp())
        .hasMessageContaining("Cannot make the directory")
        .hasMessageContaining("zerorename.work.dir");
    assertThat(store.requests()).isEmpty();
  }

  private SimulatedJob with(String key, String value) {
    return new SimulatedJob(store, directory, 1).with(key, value);
  }

  @Test
  void successFileHasTheIdThatMapReduceGaveAndCountsTheTasksThatHaveWrittenItsFiles()
      throws IOException {
    job.setUp().task(0, 0, "a", "b");
    job.task(1, 0, "c");
    job.task(2, 0);
    job.commit();
    assertThat(success().getJobId()).isEqualTo("job_1700000000000_0001");
    assertThat(success().getJobIdSource()).isEqualTo("JobID");
    assertThat(json().path("zerorenameJobId").asText()).isEqualTo(job.uuid());
    assertThat(success().getIOStatistics().counters())
        .containsEntry("committer_jobs_completed", 1L)
        .containsEntry("committer_tasks_completed", 2L)
        .containsEntry("committer_commits_completed", 3L);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"fs.s3a.committer.uuid", "job.committer.uuid", "spark.sql.sources.writeJobUUID"})
  void anIdThatIsSetComesBeforeItAndIsInTheWorkPath(String setting) throws IOException {
    job.with(setting, "0c1d-2e3f");
    assertThat(job.committer().workPath(job.attempt(0, 0)).toString()).contains("0c1d-2e3f");
    job.setUp().task(0, 0, "a");
    job.commit();
    assertThat(success().getJobId()).isEqualTo("0c1d-2e3f");
    assertThat(success().getJobIdSource()).isEqualTo(setting);
    assertThat(job.files()).containsExactly("_SUCCESS", "a");
  }

  /** The process that completes the commit knows the id from the commit log alone. */
  @Test
  void theIdIsInTheCommitLogForTheProcessThatRecoversTheJob() throws IOException {
    job.setUp();
    assertThat(EngineJobId.of(job.output().describe(job.output().plainNames(job.records()))))
        .isEqualTo(new EngineJobId("job_1700000000000_0001", "JobID"));
  }

  @Test
  void aTaskThatIsSetUpAgainKeepsItsFiles() throws IOException {
    job.setUp();
    SimulatedJob.Running task = job.start(0, 0).write("a");
    task.committer().setupTask(task.context());
    task.write("b").commit();
    job.commit();
    assertThat(job.files()).containsExactly("_SUCCESS", "a", "b");
  }

  @Test
  void abortOfTheJobClosesWhatItsTasksHaveLeftOpenHere() throws IOException {
    job.setUp();
    SimulatedJob.Running task = job.start(0, 0).upload("a");
    SimulatedJob other = new SimulatedJob(store, directory, 2).setUp();
    SimulatedJob.Running ofOther = other.start(0, 0).upload("b");
    Path open = new Path(job.committer().workPath(task.context()), "c");
    OutputStream out = fileSystem(open).create(open);

    job.abort();

    assertThat(store.pendingKeys()).allMatch(key -> key.startsWith("out/b"));
    assertThatThrownBy(
            () -> {
              out.write(1);
              out.close();
            })
        .isInstanceOf(IOException.class);
    assertThatThrownBy(task::commit).isInstanceOf(FileNotFoundException.class);
    ofOther.commit();
    other.commit();
    assertThat(other.files()).contains("b");
  }

  private FileSystem fileSystem(Path path) throws IOException {
    return path.getFileSystem(job.conf());
  }

  private SuccessData success() throws IOException {
    return SuccessData.serializer().fromBytes(store.getObject("out/_SUCCESS"));
  }

  private JsonNode json() throws IOException {
    return new ObjectMapper().readTree(store.getObject("out/_SUCCESS"));
  }
}
