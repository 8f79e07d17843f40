package io.zerorename.testing.mapreduce;

import static io.zerorename.testing.process.Kill.Side.BEFORE;
import static io.zerorename.testing.s3server.RequestType.COMPLETE_MULTIPART_UPLOAD;
import static io.zerorename.testing.s3server.RequestType.UPLOAD_PART;
import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.testing.process.Kill;
import io.zerorename.testing.process.Kill.Side;
import io.zerorename.testing.s3server.BucketContents.PendingUpload;
import io.zerorename.testing.s3server.FaultRule;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.FutureTask;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapreduce.Job;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Jobs that add files and name their run, whose application master is killed at a request of the
 * commit.
 */
@Tag("thorough")
@ExtendWith(ClusterExtension.class)
final class RepeatedRunTest {
  private static final int LINES = 20;

  /** Of the one task. */
  private static final int FILES = 2;

  /** Of the commit of these, at least. */
  private static final int REQUESTS = 7;

  /** YARN knows of the death before the one who kills does. */
  private static final Duration FOR_A_PROCESS_TO_DIE = Duration.ofMinutes(1);

  private final MapReduceCluster cluster;

  RepeatedRunTest(MapReduceCluster cluster) {
    this.cluster = cluster;
  }

  /** What was not decided, the repetition writes; what was, it completes, and writes nothing. */
  @ParameterizedTest
  @EnumSource(Side.class)
  void whereverTheMasterIsKilledAJobSubmittedAgainLeavesEachLineOnce(Side side) throws Exception {
    int undecided = 0;
    int decided = 0;
    while (true) {
      int nth = undecided + decided + 1;
      TextJob text =
          TextJob.withInput(
              cluster, "again-" + side.name().toLowerCase(Locale.ROOT) + "-" + nth, 1, LINES);
      Job first = text.scriptedBesideAFile(conf(text, 1));
      FutureTask<Void> kill = submit(first, new Kill(side, Optional.empty(), "", nth));
      if (first.waitForCompletion(false)) {
        assertThat(kill).isNotDone();
        break;
      }
      assertThat(kill)
          .as("%s", first.getStatus().getFailureInfo())
          .succeedsWithin(FOR_A_PROCESS_TO_DIE);
      cluster.containers(first.getJobID()).awaitEnd();
      cluster.reset();
      List<PendingUpload> left = cluster.bucket().pendingUploads(text.name() + "/");
      Set<String> ofFirst = new HashSet<>(text.files());
      left.forEach(upload -> ofFirst.add(upload.key()));
      assertThat(ofFirst).hasSize(FILES);

      Job second = text.scriptedBesideAFile(conf(text, 1));
      assertThat(second.waitForCompletion(false)).as("%s", second.getStatus()).isTrue();
      cluster.containers(second.getJobID()).awaitEnd();

      assertThat(text.outputLines()).as("killed %s %s", side, nth).isEqualTo(text.lines());
      boolean isOfFirst = ofFirst.equals(Set.copyOf(text.files()));
      assertThat(cluster.bucket().pendingUploads(text.name() + "/"))
          .isEqualTo(isOfFirst ? List.of() : left);
      if (isOfFirst) {
        decided++;
      } else {
        assertThat(text.files()).hasSize(FILES).doesNotContainAnyElementsOf(ofFirst);
        assertThat(decided).as("requests after the decision").isZero();
        undecided++;
      }
    }
    assertThat(undecided).isPositive();
    assertThat(decided).isGreaterThan(FILES);
    assertThat(undecided + decided).isGreaterThanOrEqualTo(REQUESTS);
  }

  /** The run is its own. */
  @Test
  void theNextMasterOfAJobCompletesIt() throws Exception {
    TextJob text = TextJob.withInput(cluster, "next-master", 1, LINES);
    Job job = text.scriptedBesideAFile(conf(text, 2));
    FutureTask<Void> kill = submit(job, new Kill(BEFORE, COMPLETE_MULTIPART_UPLOAD, 2));

    text.awaitAndCheck(job);

    assertThat(kill).succeedsWithin(FOR_A_PROCESS_TO_DIE);
    assertThat(cluster.containers(job.getJobID()).appMasters()).isEqualTo(2);
  }

  private Configuration conf(TextJob text, int masters) throws Exception {
    Configuration conf = Committer.ZERO_RENAME.in(cluster.newConfiguration());
    conf.set("zerorename.run.id", text.name());
    conf.setInt("mapreduce.am.max-attempts", masters);
    // One by one, so that no other request is under way at that of the kill.
    conf.setInt("zerorename.commit.threads", 1);
    TaskScript.of(conf, text.name());
    return conf;
  }

  /** Counts the requests after those by which the task has uploaded its files. */
  private FutureTask<Void> submit(Job job, Kill kill) throws Exception {
    FutureTask<Void> death =
        new FutureTask<>(
            () -> {
              cluster.containers(job.getJobID()).killAppMaster();
              return null;
            });
    cluster.s3().gateway().faults(kill.by(death).afterNth(FILES, FaultRule.type(UPLOAD_PART)));
    job.submit();
    return death;
  }
}
