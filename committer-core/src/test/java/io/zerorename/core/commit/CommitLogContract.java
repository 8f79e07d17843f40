package io.zerorename.core.commit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.log.OldObject;
import io.zerorename.core.log.OutputJob;
import io.zerorename.core.log.PlanPart;
import io.zerorename.core.log.Plans;
import io.zerorename.core.log.Proposal;
import io.zerorename.core.manifest.MalformedManifestException;
import io.zerorename.core.records.RecordStore;
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
  private static final PlanPart PLAN =
      Plans.part(
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
    Proposal proposal = Proposals.propose(log(), PLAN);
    assertThat(log().commit(JOB, proposal, Optional.empty()).proposal()).contains(proposal);
    return new OpenCommit(Plans.of(PLAN), proposal.names());
  }

  @Test
  void aPlanIsReadBackAsItWasDecided() throws IOException {
    assertThat(log().read(JOB)).isEmpty();
    Proposal proposal = Proposals.propose(log(), PLAN);
    assertThat(log().isDecided(JOB)).isFalse();
    assertThat(log().commit(JOB, proposal, Optional.empty()))
        .isEqualTo(Decision.commit(proposal, Optional.empty()));
    assertThat(log().read(JOB)).contains(Decision.commit(proposal, Optional.empty()));
    assertThat(log().isCommitted(JOB)).isTrue();
    assertThat(log().unfinished(JOB, proposal).map(Plans::whole)).contains(PLAN);
    assertThat(log().openOf(JOB).orElseThrow().names()).containsExactlyElementsOf(proposal.names());
  }

  @Test
  void theFirstDecisionStands() throws IOException {
    assertThat(log().abort(JOB)).isEqualTo(Decision.abort());
    assertThat(log().commit(JOB, Proposals.propose(log(), PLAN), Optional.empty()))
        .isEqualTo(Decision.abort());
    assertThat(log().read(JOB)).contains(Decision.abort());
    assertThat(log().isCommitted(JOB)).isFalse();
    assertThat(log().isDecided(JOB)).isTrue();
  }

  @Test
  void ofTwoProposalsOneStandsAndTheOtherIsDropped() throws IOException {
    Proposal first = Proposals.propose(log(), PLAN);
    Proposal second = Proposals.propose(log(), PLAN);
    assertThat(log().openOf(JOB).orElseThrow().names()).hasSize(2);
    log().commit(JOB, second, Optional.empty());
    assertThat(log().commit(JOB, first, Optional.empty()).proposal()).contains(second);
    assertThat(log().openOf(JOB).orElseThrow().names()).containsExactlyElementsOf(second.names());
  }

  @Test
  void aProposalThatLosesToAnAbortIsDropped() throws IOException {
    log().abort(JOB);
    log().commit(JOB, Proposals.propose(log(), PLAN), Optional.empty());
    assertThat(log().open()).isEmpty();
  }

  @Test
  void aCommitCannotBeAborted() throws IOException {
    Proposal proposal = Proposals.propose(log(), PLAN);
    log().commit(JOB, proposal, Optional.empty());
    assertThat(log().abort(JOB)).isEqualTo(Decision.commit(proposal, Optional.empty()));
    assertThat(log().unfinished(JOB, proposal).map(Plans::whole)).contains(PLAN);
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
    Proposal late = Proposals.propose(log(), PLAN);
    assertThat(log().commit(JOB, late, Optional.empty())).isEqualTo(first);
    assertThat(log().abort(JOB)).isEqualTo(first);
    assertThat(log().open()).isEmpty();
  }

  @Test
  void aLargePlanIsKeptInSeveralDocuments() throws IOException {
    PlanPart large =
        Plans.part(
            OUTPUT,
            IntStream.range(0, 12_001).mapToObj(CommitLogContract::upload).toList(),
            IntStream.range(0, 5_001)
                .mapToObj(
                    i ->
                        new OldObject(
                            new Path("s3a://bucket/"),
                            "t/old%05d".formatted(i),
                            "\"e\"",
                            Instant.EPOCH))
                .toList(),
            List.of(new Path("s3a://bucket/t/empty")));
    Proposal proposal = Proposals.propose(log(), large);
    assertThat(proposal.parts()).hasSize(4);
    log().commit(JOB, proposal, Optional.empty());
    assertThat(log().unfinished(JOB, proposal).map(Plans::whole)).contains(large);
    assertThat(log().open()).hasSize(1);

    log().drop(List.of(proposal.names().get(1)));
    assertThatThrownBy(() -> log().unfinished(JOB, proposal))
        .isInstanceOf(MalformedManifestException.class)
        .hasMessageContaining(records().locate(proposal.names().get(1)))
        .hasMessageContaining("is gone, although it was not carried out");
  }

  @Test
  void aPlanWithNothingToDoIsAPlan() throws IOException {
    PlanPart empty = Plans.part(OUTPUT, List.of(), List.of(), List.of());
    Proposal proposal = Proposals.propose(log(), empty);
    log().commit(JOB, proposal, Optional.empty());
    assertThat(log().unfinished(JOB, proposal).map(Plans::whole)).contains(empty);
  }

  @Test
  void aDamagedDecisionIsNeverTakenForNone() throws IOException {
    committed();
    String text = new String(records().get("decisions/" + JOB + ".json").orElseThrow(), UTF_8);
    for (String damaged :
        List.of(
            "",
            text.substring(0, text.length() / 2),
            text.replace("\"version\":3", "\"version\":9"),
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
      Proposal other = Proposals.propose(log(), PLAN);
      assertThatThrownBy(() -> log().commit(JOB, other, Optional.empty())).as(damaged).isNotNull();
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
            text.replace("\"version\":3", "\"version\":9"),
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
    Proposal proposal = Proposals.propose(log(), PLAN);
    log().commit("job-2", proposal, Optional.empty());
    assertThatThrownBy(() -> log().unfinished("job-2", proposal))
        .isInstanceOf(MalformedManifestException.class)
        .hasMessageContaining("is of job " + JOB + ", not job-2");
  }

  @Test
  void anUndecidedPlanThatIsDamagedIsNotTakenForNone() throws IOException {
    String name = Proposals.propose(log(), PLAN).names().get(0);
    assertThat(Proposals.undecided(log(), JOB)).containsExactly(PLAN);
    damage(name, "{\"version\":3".getBytes(UTF_8));
    assertThatThrownBy(() -> Proposals.undecided(log(), JOB))
        .isInstanceOf(MalformedManifestException.class)
        .hasMessageContaining("Cannot read the commit plan " + records().locate(name));
  }

  @Test
  void openJobsComeInTheOrderOfTheirCommits() throws IOException {
    PlanPart other =
        Plans.part(new OutputJob("a", "INSERT", OUTPUT.roots()), List.of(), List.of(), List.of());
    Proposals.propose(log(), PLAN);
    Instant first = log().open().get(0).since();
    // The clock of a file system, or a store, tells no less than milliseconds.
    while (!Instant.now().isAfter(first.plusMillis(2))) {
      Thread.onSpinWait();
    }
    Proposals.propose(log(), other);
    Instant second = Instant.now();
    while (!Instant.now().isAfter(second.plusMillis(2))) {
      Thread.onSpinWait();
    }
    Proposals.propose(log(), PLAN);
    assertThat(log().open()).extracting(OpenJob::id).containsExactly("a", JOB);
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
    Proposal proposal = Proposals.propose(log(), PLAN);
    log().commit(JOB, proposal, Optional.empty());
    log().noteDamage(JOB, new Damage(List.of(upload(0).destination())));
    log().abort("aborted");
    PlanPart other =
        Plans.part(
            new OutputJob("done", "INSERT", OUTPUT.roots()), List.of(), List.of(), List.of());
    Proposal done = Proposals.propose(log(), other);
    log().commit("done", done, Optional.empty());
    log().finish(new OpenCommit(Plans.of(other), done.names()));

    assertThat(log().purge(Instant.now().minus(Duration.ofDays(1)))).isZero();
    assertThat(log().isDecided("aborted")).isTrue();
    assertThat(log().purge(Instant.now().plusSeconds(60))).isEqualTo(2);
    assertThat(log().isDecided("aborted")).isFalse();
    assertThat(log().isDecided("done")).isFalse();
    assertThat(log().finished("done")).isEmpty();
    assertThat(log().isCommitted(JOB)).isTrue();
    assertThat(log().damage(JOB)).contains(new Damage(List.of(upload(0).destination())));
    assertThat(log().unfinished(JOB, proposal).map(Plans::whole)).contains(PLAN);
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
