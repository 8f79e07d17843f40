package io.zerorename.core.commit;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.RequestType;
import io.zerorename.testing.BeforeRequest;
import java.io.IOException;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What a commit costs, to the request, and how many of the requests follow one another, where the
 * log is in the bucket.
 */
class CommitRequestCountTest extends TimedCommits {
  @BeforeEach
  void anEarlierJobOfTheDay() throws IOException {
    job("job-0").smallTask("a", "day=1/0").insert();
    job = job("job-1");
    store.resetCounts();
  }

  /** One of them may have decided this very job. */
  @Test
  void eachEntryThatHasNotEndedCostsAnInsertOneGet() throws IOException {
    for (int i = 2; i < 5; i++) {
      job("job-" + i).task("a", "day=2/0").decideAndDie(Overwrite.none());
    }
    store.resetCounts();
    job.smallTask("a", "day=1/0").insert();
    assertThat(store.requests())
        .isEqualTo(
            Map.of(
                RequestType.LIST, 1L,
                RequestType.GET, 3L,
                RequestType.CREATE_UPLOAD, 1L,
                RequestType.UPLOAD_PART, 1L,
                RequestType.COMPLETE_UPLOAD, 1L,
                // The entry, the marker.
                RequestType.PUT, 2L));
  }

  @Test
  void anOverwriteOfManyPartitionsListsAndDeletesAThousandFilesAtOnce() throws IOException {
    String[] files = new String[100];
    for (int i = 0; i < files.length; i++) {
      files[i] = "hour=" + i + "/0";
      for (int old = 0; old < 25; old++) {
        store.plant(T + "hour=" + i + "/old-" + old, new byte[1]);
      }
    }
    job.smallTask("a", files).overwrite();
    assertThat(store.requests())
        .as("2,500 old files; the log is listed as well")
        .isEqualTo(
            Map.of(
                RequestType.LIST, 3L + 1,
                RequestType.CREATE_UPLOAD, 100L,
                RequestType.UPLOAD_PART, 100L,
                RequestType.COMPLETE_UPLOAD, 100L,
                // With the chunk of the plan, which is too large for the entry.
                RequestType.PUT, 3L,
                RequestType.BULK_DELETE, 3L));
    assertThat(data()).hasSize(1 + files.length);
  }

  /** Whichever of them took a number before it. */
  @Test
  void anOverwriteReadsEachEntryThatItFollowsOnce() throws IOException {
    for (int i = 2; i < 5; i++) {
      job("job-" + i).task("a", "day=1/0").decideAndDie(Overwrite.none());
    }
    TestJob faster = job("job-5").task("a", "day=1/0");
    ObjectStore overtaken =
        BeforeRequest.first(
            store,
            "putObjectIfAbsent",
            () -> {
              Map<RequestType, Long> before = store.requests();
              faster.decideAndDie(Overwrite.none());
              store.resetCounts();
              assertThat(before)
                  .isEqualTo(
                      Map.of(
                          RequestType.LIST, 2L,
                          RequestType.LIST_UPLOADS, 1L,
                          RequestType.GET, 3L));
            });
    TestJob last = job("job-6").through(path -> overtaken).task("a", "day=1/0");
    store.resetCounts();
    last.overwrite();
    assertThat(data()).containsExactly(last.key("day=1/0"));
    assertThat(store.requests())
        .isEqualTo(
            Map.of(
                // The number that was lost, and again for the ETag that the marker of its entry
                // names.
                RequestType.GET,
                1L + 1,
                RequestType.LIST,
                1L,
                // That entry, its own, its marker, and those of the four.
                RequestType.PUT,
                1L + 2 + 4,
                RequestType.COMPLETE_UPLOAD,
                4L + 1,
                RequestType.BULK_DELETE,
                2L));
  }

  private final Rounds rounds = new Rounds();

  private TestJob measured() throws IOException {
    ObjectStore measured = rounds.of(store);
    return new TestJob(
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
    job = measured().smallTask("a", "day=1/0");
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
  void anOverwriteOfOneOldFileByAnUploadIsVisibleAfterFive() throws IOException {
    job = measured().task("a", "day=1/0");
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
    job = measured().smallTask("a", "day=1/0").smallTask("b", "day=2/0").smallTask("c", "day=3/0");
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
