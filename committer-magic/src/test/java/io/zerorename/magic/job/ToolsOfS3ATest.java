package io.zerorename.magic.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.OutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.s3a.commit.files.SuccessData;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What tools and tests that were written for S3A's committers find here too. */
class ToolsOfS3ATest extends SimulatedJobs {
  @Test
  void successFileHasTheIdThatMapReduceGave() throws IOException {
    job.setUp().task(0, 0, "a");
    job.commit();
    assertThat(success().getJobId()).isEqualTo("job_1700000000000_0001");
    assertThat(success().getJobIdSource()).isEqualTo("JobID");
    assertThat(json().path("zerorenameJobId").asText()).isEqualTo(job.uuid());
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
  void successFileCountsTheTasksThatHaveWrittenItsFiles() throws IOException {
    job.setUp().task(0, 0, "a", "b");
    job.task(1, 0, "c");
    job.task(2, 0);
    job.commit();
    assertThat(success().getIOStatistics().counters())
        .containsEntry("committer_jobs_completed", 1L)
        .containsEntry("committer_tasks_completed", 2L)
        .containsEntry("committer_commits_completed", 3L);
  }

  @Test
  void aTaskThatIsSetUpAgainKeepsItsFiles() throws IOException {
    job.setUp();
    SimulatedJob.Running task = job.start(0, 0).write("a");
    task.setUpAgain();
    task.write("b").commit();
    job.commit();
    assertThat(job.files()).containsExactly("_SUCCESS", "a", "b");
  }

  @Test
  void workPathDoesNotExistAfterTheTasksCommit() throws IOException {
    job.setUp();
    SimulatedJob.Running task = job.start(0, 0).upload("a");
    Path file = new Path(job.committer().workPath(task.context()), "a");
    assertThat(fileSystem(file).exists(file)).isTrue();
    task.commit();

    FileSystem afterwards = fileSystem(file);
    assertThat(afterwards.exists(file)).isFalse();
    assertThat(afterwards.exists(file.getParent())).isFalse();
    assertThat(afterwards.delete(file, true)).isFalse();
    assertThatThrownBy(() -> afterwards.getFileStatus(file))
        .isInstanceOf(FileNotFoundException.class)
        .hasMessageContaining("there is no open session");
    assertThatThrownBy(() -> afterwards.open(file)).isInstanceOf(FileNotFoundException.class);
    assertThatThrownBy(() -> afterwards.create(file))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("there is no open session");
    assertThatThrownBy(() -> afterwards.mkdirs(file)).isInstanceOf(IOException.class);
    assertThatThrownBy(task::commit).isInstanceOf(FileNotFoundException.class);
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
