package io.zerorename.magic.job;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.zerorename.core.config.CoreKeys;
import io.zerorename.core.config.InvalidSettingException;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.RequestType;
import io.zerorename.testing.BeforeRequest;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.s3a.Statistic;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.JobContextImpl;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.junit.jupiter.api.Test;

/** What a job is to users: its files, its costs, its report, and what it says of bad input. */
class MagicCommitterTest extends SimulatedJobs {
  @Test
  void nothingIsVisibleBeforeTheJobsCommitAndEverythingAfter() throws IOException {
    job.setUp();
    job.task(0, 0, "part-m-00000", "side/a");
    job.task(1, 0, "part-m-00001");
    assertThat(job.files()).isEmpty();
    job.commit();
    assertThat(job.files()).containsExactly("_SUCCESS", "part-m-00000", "part-m-00001", "side/a");
    assertThat(store.content("out/part-m-00001")).isEqualTo("part-m-00001".getBytes(UTF_8));
    assertThat(store.pendingKeys()).isEmpty();
  }

  @Test
  void requestsAreThreePerFileNonePerTaskAndSevenPerJob() throws IOException {
    anotherJobOfTheDay();
    MagicCommitter master = job.committer();
    master.setupJob(job.context());
    job.task(0, 0, "a", "b");
    job.task(1, 0, "c", "d");
    master.commitJob(job.context());
    assertThat(store.requests())
        .isEqualTo(
            Map.of(
                RequestType.CREATE_UPLOAD, 4L,
                RequestType.UPLOAD_PART, 4L,
                RequestType.COMPLETE_UPLOAD, 4L,
                // The destination at the beginning and before the decision, the log.
                RequestType.LIST, 3L,
                RequestType.LIST_UPLOADS, 1L,
                // The entry, the marker of its end, _SUCCESS.
                RequestType.PUT, 3L));
  }

  /** The first job of all checks what the store can do. */
  private void anotherJobOfTheDay() throws IOException {
    new SimulatedJob(store, directory, 99).setUp();
    store.resetCounts();
  }

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
    JsonNode success = new ObjectMapper().readTree(store.content("out/_SUCCESS"));
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
    TaskAttemptContext attempt = job.attempt(0, 0);
    MagicCommitter ofTask = job.committer();
    ofTask.setupTask(attempt);
    for (String name : List.of("a", "b")) {
      Path file = new Path(ofTask.workPath(attempt), name);
      try (OutputStream out = file.getFileSystem(attempt.getConfiguration()).create(file)) {
        out.write(new byte[10]);
      }
    }
    ofTask.commitTask(attempt);
    MagicCommitter ofJob = job.committer();
    ofJob.commitJob(job.context());

    assertThat(ofTask.getIOStatistics().counters())
        .isEqualTo(
            Map.of(
                Statistic.COMMITTER_TASKS_SUCCEEDED.getSymbol(), 1L,
                Statistic.COMMITTER_COMMITS_CREATED.getSymbol(), 2L,
                Statistic.COMMITTER_BYTES_UPLOADED.getSymbol(), 20L));
    Map<String, Long> expected =
        Map.of(
            Statistic.COMMITTER_JOBS_SUCCEEDED.getSymbol(), 1L,
            Statistic.COMMITTER_COMMITS_COMPLETED.getSymbol(), 2L,
            Statistic.COMMITTER_BYTES_COMMITTED.getSymbol(), 20L,
            Statistic.COMMITTER_COMMITS_ABORTED.getSymbol(), 0L,
            Statistic.COMMITTER_COMMIT_JOB.getSymbol(), 1L);
    assertThat(ofJob.getIOStatistics().counters())
        .containsAllEntriesOf(expected)
        .containsEntry("zerorename_files", 2L);
    assertThat(ofJob.getIOStatistics().meanStatistics())
        .containsKey(Statistic.COMMITTER_COMMIT_JOB.getSymbol() + ".mean");
    JsonNode success = new ObjectMapper().readTree(store.content("out/_SUCCESS"));
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
    for (Map.Entry<String, String> bad :
        Map.of(
                MapReduceKeys.SUCCESS_FILE_LIMIT.name(), "many",
                CoreKeys.COMMIT_THREADS.name(), "0",
                CoreKeys.UPLOAD_TAIL_SIZE.name(), "65M")
            .entrySet()) {
      assertThatThrownBy(() -> with(bad.getKey(), bad.getValue()).setUp())
          .isInstanceOf(InvalidSettingException.class)
          .hasMessageContaining(bad.getKey() + " is \"" + bad.getValue());
    }
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
}
