package io.zerorename.core.commit;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.core.store.ObjectStore;
import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * How many requests of a commit follow one another, from the end of the tasks on: until its files
 * are visible, and until the client has its answer.
 */
class CommitRoundTripsTest extends TimedCommits {
  private final Rounds rounds = new Rounds();

  @BeforeEach
  void anEarlierJobOfTheDay() throws IOException {
    job("job-0").smallTask("a", "day=1/0").insert();
    ObjectStore measured = rounds.of(store);
    job =
        new TestJob(
                path -> measured, FileSystem.getLocal(new Configuration(false)), workDir, "job-1")
            .withThreads(8);
  }

  /**
   * Commits in exactly these rounds.
   *
   * @return after how many of them all files of the job were visible
   */
  private int roundsUntilVisible(Overwrite overwrite, String... requests) throws IOException {
    long files = job.chosen().stream().mapToLong(it -> it.files().size()).sum();
    rounds.expect(
        () -> data().stream().filter(key -> key.endsWith(".job-1")).count() == files, requests);
    job.commit(overwrite);
    assertThat(rounds.rest()).as("requests that did not come").isEmpty();
    assertThat(rounds.count()).isEqualTo(requests.length);
    return rounds.untilVisible();
  }

  @Test
  void anInsertOfOneSmallFileIsVisibleAfterFive() throws IOException {
    job.smallTask("a", "day=1/0");
    assertThat(
            roundsUntilVisible(
                Overwrite.none(),
                "list log",
                "create_upload file",
                "upload_part file",
                "put log",
                "complete_upload file",
                "put marker"))
        .isEqualTo(5);
  }

  @Test
  void anInsertOfOneUploadIsVisibleAfterFour() throws IOException {
    job.task("a", "day=1/0");
    assertThat(
            roundsUntilVisible(
                Overwrite.none(),
                "list log",
                "list_uploads file",
                "put log",
                "complete_upload file",
                "put marker"))
        .isEqualTo(4);
  }

  @Test
  void anOverwriteOfOneOldFileByASmallOneIsVisibleAfterSix() throws IOException {
    job.smallTask("a", "day=1/0");
    assertThat(
            roundsUntilVisible(
                Overwrite.directoriesOfFiles(),
                "list log",
                "create_upload file",
                "upload_part file",
                "list file",
                "put log",
                "complete_upload file",
                "bulk_delete file",
                "put marker"))
        .isEqualTo(6);
    assertThat(data()).containsExactly(job.key("day=1/0"));
  }

  @Test
  void anOverwriteOfOneOldFileByAnUploadIsVisibleAfterFive() throws IOException {
    job.task("a", "day=1/0");
    assertThat(
            roundsUntilVisible(
                Overwrite.directoriesOfFiles(),
                "list log",
                "list file",
                "list_uploads file",
                "put log",
                "complete_upload file",
                "bulk_delete file",
                "put marker"))
        .isEqualTo(5);
    assertThat(data()).containsExactly(job.key("day=1/0"));
  }

  @Test
  void manyFilesOfAKindTakeAsManyAsOne() throws IOException {
    // In Hive each has a manifest of its own.
    job.smallTask("a", "day=1/0").smallTask("b", "day=2/0").smallTask("c", "day=3/0");
    assertThat(
            roundsUntilVisible(
                Overwrite.none(),
                "list log",
                "create_upload file | create_upload file | create_upload file",
                "upload_part file | upload_part file | upload_part file",
                "put log",
                "complete_upload file | complete_upload file | complete_upload file",
                "put marker"))
        .isEqualTo(5);
  }
}
