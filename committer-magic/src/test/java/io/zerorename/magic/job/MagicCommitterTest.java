package io.zerorename.magic.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.zerorename.core.config.CoreKeys;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.testing.BeforeRequest;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.OutputStream;
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
  void successNamesTheJobAndItsFilesUpToALimit() throws IOException {
    job.with(MapReduceKeys.SUCCESS_FILE_LIMIT.name(), "2").setUp();
    job.task(0, 0, "c", "a");
    job.task(1, 0, "b");
    job.task(2, 0);
    MagicCommitter ofJob = job.committer();
    ofJob.commitJob(job.context());

    JsonNode success = json();
    assertThat(success.path("filenames").toString()).isEqualTo("[\"/out/a\",\"/out/b\"]");
    assertThat(success.path("metrics").path("files").asInt()).isEqualTo(3);
    assertThat(success.path("diagnostics").path("entry").asText()).as("of the log").isEqualTo("1");
    assertThat(success.path("zerorenameJobId").asText()).isEqualTo(job.uuid());
    assertThat(success().getJobId()).isEqualTo("job_1700000000000_0001");
    assertThat(success().getJobIdSource()).isEqualTo("JobID");
    assertThat(success().getIOStatistics().counters())
        .containsEntry(Statistic.COMMITTER_TASKS_SUCCEEDED.getSymbol(), 2L);
    for (Map<String, Long> counters :
        List.of(success().getIOStatistics().counters(), ofJob.getIOStatistics().counters())) {
      assertThat(counters)
          .containsEntry(Statistic.COMMITTER_JOBS_SUCCEEDED.getSymbol(), 1L)
          .containsEntry(Statistic.COMMITTER_COMMITS_COMPLETED.getSymbol(), 3L)
          .containsEntry(Statistic.COMMITTER_BYTES_COMMITTED.getSymbol(), 3L);
    }
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
  void anIdThatIsSetComesBeforeItAndIsInTheWorkPath() throws IOException {
    String setting = "spark.sql.sources.writeJobUUID";
    job.with(setting, "0c1d-2e3f");
    assertThat(job.committer().workPath(job.attempt(0, 0)).toString()).contains("0c1d-2e3f");
    job.setUp().task(0, 0, "a");
    job.commit();
    assertThat(success().getJobId()).isEqualTo("0c1d-2e3f");
    assertThat(success().getJobIdSource()).isEqualTo(setting);
    assertThat(job.files()).containsExactly("_SUCCESS", "a");
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
