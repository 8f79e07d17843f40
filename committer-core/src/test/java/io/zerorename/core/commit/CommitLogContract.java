package io.zerorename.core.commit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.commit.CommitLog.Open;
import io.zerorename.core.manifest.MalformedManifestException;
import io.zerorename.core.store.UploadedPart;
import io.zerorename.core.upload.PendingUpload;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;

/** What a log promises, wherever it keeps its records. */
abstract class CommitLogContract {
  private static final String JOB = "application_1.7";
  private static final OutputJob OUTPUT =
      new OutputJob(
          JOB,
          "INSERT into db.t",
          new Path("s3a://bucket/t"),
          List.of(new Path("s3a://bucket/t")),
          true,
          Optional.of(new Path("file:/records/jobs/" + JOB)),
          Map.of("database", "db", "table", "t"));
  private static final CommitPlan PLAN =
      new CommitPlan(
          OUTPUT,
          List.of(upload(0)),
          List.of(
              new OldObject(
                  new Path("s3a://bucket/"),
                  "t/sub/",
                  "\"old\"",
                  Instant.parse("2026-01-02T03:04:05.678Z"))),
          List.of(new Path("s3a://bucket/t/empty")));

  /** Opened anew, as another process does it. */
  abstract CommitLog log();

  abstract RecordStore records();

  /** Puts bytes in the place of a record. */
  abstract void damage(String name, byte[] document) throws IOException;

  private static PendingUpload upload(int number) {
    return new PendingUpload(
        new Path("s3a://bucket/t/" + number + "." + JOB),
        "upload-" + number,
        List.of(new UploadedPart(1, "\"etag\"", 3)),
        JOB,
        "attempt",
        "identity-" + number);
  }

  private OpenCommit committed() throws IOException {
    Proposal proposal = log().propose(PLAN);
    assertThat(log().commit(JOB, proposal).proposal()).contains(proposal);
    return new OpenCommit(PLAN, proposal.names());
  }

  @Test
  void aPlanIsReadBackAsItWasDecided() throws IOException {
    assertThat(log().read(JOB)).isEmpty();
    Proposal proposal = log().propose(PLAN);
    assertThat(log().isDecided(JOB)).isFalse();
    assertThat(log().commit(JOB, proposal)).isEqualTo(Decision.commit(proposal));
    assertThat(log().read(JOB)).contains(Decision.commit(proposal));
    assertThat(log().isCommitted(JOB)).isTrue();
    assertThat(log().unfinished(JOB, proposal)).contains(PLAN);
    assertThat(log().openOf(JOB).orElseThrow().names()).containsExactlyElementsOf(proposal.names());
  }

  @Test
  void theFirstDecisionStands() throws IOException {
    assertThat(log().abort(JOB)).isEqualTo(Decision.abort());
    assertThat(log().commit(JOB, log().propose(PLAN))).isEqualTo(Decision.abort());
    assertThat(log().read(JOB)).contains(Decision.abort());
    assertThat(log().isCommitted(JOB)).isFalse();
    assertThat(log().isDecided(JOB)).isTrue();
  }

  @Test
  void ofTwoProposalsOneStandsAndTheOtherIsDropped() throws IOException {
    Proposal first = log().propose(PLAN);
    Proposal second = log().propose(PLAN);
    assertThat(log().openOf(JOB).orElseThrow().names()).hasSize(2);
    log().commit(JOB, second);
    assertThat(log().commit(JOB, first).proposal()).contains(second);
    assertThat(log().openOf(JOB).orElseThrow().names()).containsExactlyElementsOf(second.names());
  }

  @Test
  void aProposalThatLosesToAnAbortIsDropped() throws IOException {
    log().abort(JOB);
    log().commit(JOB, log().propose(PLAN));
    assertThat(log().open()).isEmpty();
  }

  @Test
  void aCommitCannotBeAborted() throws IOException {
    Proposal proposal = log().propose(PLAN);
    log().commit(JOB, proposal);
    assertThat(log().abort(JOB)).isEqualTo(Decision.commit(proposal));
    assertThat(log().unfinished(JOB, proposal)).contains(PLAN);
  }

  @Test
  void whatIsFinishedIsNotOpenAndStaysDecided() throws IOException {
    OpenCommit commit = committed();
    Proposal proposal = log().read(JOB).orElseThrow().proposal().orElseThrow();
    log().finish(commit);
    assertThat(log().open()).isEmpty();
    assertThat(log().isCommitted(JOB)).isTrue();
    assertThat(log().finished(JOB)).contains(new CommitSummary(1, 3, 1, false));
    assertThat(log().unfinished(JOB, proposal)).isEmpty();
    log().finish(commit);
    assertThat(log().finished(JOB)).contains(new CommitSummary(1, 3, 1, false));
  }

  @Test
  void aZombieThatDecidesAfterTheEndLearnsThatItIsCommittedAndLeavesNothing() throws IOException {
    log().finish(committed());
    Decision first = log().read(JOB).orElseThrow();
    Proposal late = log().propose(PLAN);
    assertThat(log().commit(JOB, late)).isEqualTo(first);
    assertThat(log().abort(JOB)).isEqualTo(first);
    assertThat(log().open()).isEmpty();
  }

  @Test
  void aLargePlanIsKeptInSeveralDocuments() throws IOException {
    CommitPlan large =
        new CommitPlan(
            OUTPUT,
            IntStream.range(0, 12_001).mapToObj(CommitLogContract::upload).toList(),
            IntStream.range(0, 5_001)
                .mapToObj(
                    i ->
                        new OldObject(
                            new Path("s3a://bucket/"), "t/old" + i, "\"e\"", Instant.EPOCH))
                .toList(),
            List.of(new Path("s3a://bucket/t/empty")));
    Proposal proposal = log().propose(large);
    assertThat(proposal.parts()).hasSize(3);
    log().commit(JOB, proposal);
    assertThat(log().unfinished(JOB, proposal)).contains(large);
    assertThat(log().open()).hasSize(1);

    log().drop(List.of(proposal.names().get(1)));
    assertThatThrownBy(() -> log().unfinished(JOB, proposal))
        .isInstanceOf(MalformedManifestException.class)
        .hasMessageContaining(records().locate(proposal.names().get(1)))
        .hasMessageContaining("is gone, although it was not carried out");
  }

  @Test
  void aPlanWithNothingToDoIsAPlan() throws IOException {
    CommitPlan empty = new CommitPlan(OUTPUT, List.of(), List.of(), List.of());
    Proposal proposal = log().propose(empty);
    log().commit(JOB, proposal);
    assertThat(log().unfinished(JOB, proposal)).contains(empty);
  }

  @Test
  void aDamagedDecisionIsNeverTakenForNone() throws IOException {
    committed();
    String text = new String(records().get("decisions/" + JOB + ".json").orElseThrow(), UTF_8);
    for (String damaged :
        List.of(
            "",
            text.substring(0, text.length() / 2),
            text.replace("\"version\":2", "\"version\":9"),
            text.replace("COMMIT", "PERHAPS"),
            text.replace("\"sha256\"", "\"sha1\""),
            text.replace("\"plan\"", "\"scheme\""),
            text + "{}")) {
      assertThat(damaged).isNotEqualTo(text);
      damage("decisions/" + JOB + ".json", damaged.getBytes(UTF_8));
      assertThatThrownBy(() -> log().read(JOB))
          .as(damaged)
          .isInstanceOf(MalformedManifestException.class)
          .hasMessageContaining("Cannot read the decision " + log().location(JOB))
          .hasMessageContaining("keep it");
      assertThatThrownBy(() -> log().isCommitted(JOB)).as(damaged).isNotNull();
      assertThatThrownBy(() -> log().abort(JOB)).as(damaged).isNotNull();
      Proposal other = log().propose(PLAN);
      assertThatThrownBy(() -> log().commit(JOB, other)).as(damaged).isNotNull();
    }
  }

  @Test
  void aPlanThatIsNotTheDecidedOneIsNeverCarriedOut() throws IOException {
    committed();
    Proposal proposal = log().read(JOB).orElseThrow().proposal().orElseThrow();
    String name = proposal.names().get(0);
    String text = new String(records().get(name).orElseThrow(), UTF_8);
    for (String damaged :
        List.of(
            "",
            text.substring(0, text.length() / 2),
            text.replace("\"version\":2", "\"version\":9"),
            text.replace("t/sub/", "t/other/"),
            text.replace("\"plainNames\":true", "\"plainNames\":false"))) {
      assertThat(damaged).isNotEqualTo(text);
      damage(name, damaged.getBytes(UTF_8));
      assertThatThrownBy(() -> log().unfinished(JOB, proposal))
          .as(damaged)
          .isInstanceOf(MalformedManifestException.class)
          .hasMessageContaining(records().locate(name))
          .hasMessageContaining("is not the one that was decided");
    }
  }

  @Test
  void aPlanOfAnotherJobIsRefusedThoughItsDigestIsRight() throws IOException {
    Proposal proposal = log().propose(PLAN);
    log().commit("job-2", proposal);
    assertThatThrownBy(() -> log().unfinished("job-2", proposal))
        .isInstanceOf(MalformedManifestException.class)
        .hasMessageContaining("is of job " + JOB + ", not job-2");
  }

  @Test
  void anUndecidedPlanThatIsDamagedIsNotTakenForNone() throws IOException {
    String name = log().propose(PLAN).names().get(0);
    assertThat(log().undecided(log().openOf(JOB).orElseThrow())).containsExactly(PLAN);
    damage(name, "{\"version\":2".getBytes(UTF_8));
    assertThatThrownBy(() -> log().undecided(log().openOf(JOB).orElseThrow()))
        .isInstanceOf(MalformedManifestException.class)
        .hasMessageContaining("Cannot read the commit plan " + records().locate(name));
  }

  @Test
  void openJobsComeInTheOrderOfTheirCommits() throws IOException {
    CommitPlan other =
        new CommitPlan(
            new OutputJob("a", "INSERT", OUTPUT.roots()), List.of(), List.of(), List.of());
    log().propose(PLAN);
    Instant first = log().open().get(0).since();
    // The clock of a file system, or a store, tells no less than milliseconds.
    while (!Instant.now().isAfter(first.plusMillis(2))) {
      Thread.onSpinWait();
    }
    log().propose(other);
    Instant second = Instant.now();
    while (!Instant.now().isAfter(second.plusMillis(2))) {
      Thread.onSpinWait();
    }
    log().propose(PLAN);
    assertThat(log().open()).extracting(Open::jobId).containsExactly("a", JOB);
    assertThat(log().open().get(1).since()).as("of the latest document").isAfter(first);
    assertThat(log().open().get(1).names()).hasSize(2);
  }

  @Test
  void whatIsNoPlanIsNotOpen() throws IOException {
    records().putIfAbsent("open/notes.txt", new byte[0]);
    records().putIfAbsent("open/1.json", new byte[0]);
    records().putIfAbsent("open/a.1.txt", new byte[0]);
    assertThat(log().open()).isEmpty();
  }

  @Test
  void tombstonesGoInTheEndAndThoseOfOpenJobsStay() throws IOException {
    Proposal proposal = log().propose(PLAN);
    log().commit(JOB, proposal);
    log().noteDamage(JOB, new Damage(List.of(upload(0).destination())));
    log().abort("aborted");
    CommitPlan other =
        new CommitPlan(
            new OutputJob("done", "INSERT", OUTPUT.roots()), List.of(), List.of(), List.of());
    Proposal done = log().propose(other);
    log().commit("done", done);
    log().finish(new OpenCommit(other, done.names()));

    assertThat(log().purge(Instant.now().minus(Duration.ofDays(1)))).isZero();
    assertThat(log().isDecided("aborted")).isTrue();
    assertThat(log().purge(Instant.now().plusSeconds(60))).isEqualTo(2);
    assertThat(log().isDecided("aborted")).isFalse();
    assertThat(log().isDecided("done")).isFalse();
    assertThat(log().finished("done")).isEmpty();
    assertThat(log().isCommitted(JOB)).isTrue();
    assertThat(log().damage(JOB)).contains(new Damage(List.of(upload(0).destination())));
    assertThat(log().unfinished(JOB, proposal)).contains(PLAN);
  }

  @Test
  void damageIsNotedOnceAndForgottenWhenItIsMended() throws IOException {
    Damage damage = new Damage(List.of(upload(0).destination(), upload(1).destination()));
    assertThat(log().damage(JOB)).isEmpty();
    log().noteDamage(JOB, damage);
    log().noteDamage(JOB, new Damage(List.of()));
    assertThat(log().damage(JOB)).contains(damage);
    log().dropDamage(JOB);
    assertThat(log().damage(JOB)).isEmpty();
  }
}
