package io.zerorename.core.commit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.store.UploadedPart;
import io.zerorename.core.upload.PendingUpload;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RecordedDecisionTest {
  private static final CommitPlan PLAN =
      new CommitPlan(
          "job",
          "INSERT into db.t",
          List.of(
              new PendingUpload(
                  new Path("s3a://bucket/t/0.job"),
                  "upload",
                  List.of(new UploadedPart(1, "\"etag\"", 3)),
                  "job",
                  "attempt",
                  "identity")),
          List.of(
              new OldObject(
                  new Path("s3a://bucket/"),
                  "t/sub/",
                  "\"old\"",
                  Instant.parse("2026-01-02T03:04:05.678Z"))),
          List.of(new Path("s3a://bucket/t/empty")));

  @TempDir java.nio.file.Path directory;

  private BreakableFileSystem fileSystem;
  private Path file;
  private DecisionLog log;

  @BeforeEach
  void newLog() throws IOException {
    fileSystem = new BreakableFileSystem();
    file = new Path(new Path(directory.toUri()), "decision.json");
    log = new RecordedDecision(new FileRecords(fileSystem, file.getParent()));
  }

  @Test
  void thePlanIsReadBackAsItWasDecided() throws IOException {
    assertThat(log.read()).isEmpty();
    assertThat(log.decide(Decision.commit(PLAN))).isEqualTo(Decision.commit(PLAN));
    assertThat(log.read()).contains(Decision.commit(PLAN));
  }

  @Test
  void theFirstDecisionStands() throws IOException {
    assertThat(log.decide(Decision.abort())).isEqualTo(Decision.abort());
    assertThat(log.decide(Decision.commit(PLAN))).isEqualTo(Decision.abort());
    assertThat(log.read()).contains(Decision.abort());
  }

  @Test
  void whoeverLosesAtTheLastInstantLearnsWhatStandsAndLeavesNoDraft() throws IOException {
    fileSystem.beforeRename(
        () -> {
          fileSystem.repair();
          new RecordedDecision(new FileRecords(fileSystem, file.getParent()))
              .decide(Decision.abort());
        });
    assertThat(log.decide(Decision.commit(PLAN))).isEqualTo(Decision.abort());
    assertThat(Arrays.stream(fileSystem.listStatus(file.getParent())).map(FileStatus::getPath))
        .containsExactly(file);
  }

  @Test
  void aFailedWriteLeavesNoDraft() throws IOException {
    fileSystem.beforeRename(
        () -> {
          throw new IOException("quota exceeded");
        });
    assertThatThrownBy(() -> log.decide(Decision.abort())).hasMessageContaining("quota exceeded");
    assertThat(fileSystem.listStatus(file.getParent())).isEmpty();
  }

  @Test
  void aDamagedDecisionIsNeverTakenForNone() throws IOException {
    log.decide(Decision.commit(PLAN));
    String text;
    try (InputStream in = fileSystem.open(file)) {
      text = new String(in.readAllBytes(), UTF_8);
    }
    for (String damaged :
        List.of(
            "",
            text.substring(0, text.length() / 2),
            text.replace("\"version\":1", "\"version\":9"),
            text.replace("COMMIT", "PERHAPS"),
            text.replace("2026-01-02", "yesterday"),
            text.replace("\"plan\"", "\"scheme\""))) {
      try (OutputStream out = fileSystem.create(file, true)) {
        out.write(damaged.getBytes(UTF_8));
      }
      assertThatThrownBy(log::read)
          .as(damaged)
          .hasMessageContaining("Cannot read the decision " + file)
          .hasMessageContaining("keep the file");
      assertThatThrownBy(() -> log.decide(Decision.abort())).as(damaged).isNotNull();
    }
  }
}
