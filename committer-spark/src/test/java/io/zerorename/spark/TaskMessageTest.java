package io.zerorename.spark;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.document.TaskManifest;
import io.zerorename.core.store.RepeatableBody;
import io.zerorename.core.store.UploadedPart;
import io.zerorename.core.upload.InlineFile;
import io.zerorename.core.upload.PendingUpload;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;

class TaskMessageTest {
  private static final String ATTEMPT = "attempt_202611250000_0000_m_000001_3";

  private static final PendingUpload UPLOAD =
      new PendingUpload(
          new Path("s3a://bucket/t/p=a b%3A\u00e9/part-00001-id.csv"),
          "upload-1",
          List.of(new UploadedPart(1, "\"etag-1\"", 5L << 30)),
          "id",
          ATTEMPT,
          "identity-1");

  private static final InlineFile SMALL =
      new InlineFile(
          new Path("s3a://other/p=1/part-00001-id.csv"),
          RepeatableBody.of("small\n".getBytes(UTF_8)),
          "id",
          ATTEMPT,
          "identity-2");

  @Test
  void whatATaskSendsIsWhatTheDriverReads() throws IOException {
    TaskMessage sent =
        new TaskMessage(false, TaskManifest.of("id", ATTEMPT, List.of(UPLOAD, SMALL)));

    TaskMessage received = TaskMessage.of(sent.toBytes());

    assertThat(received.first()).isFalse();
    assertThat(received.manifest().uploads()).containsExactly(UPLOAD);
    InlineFile small = received.manifest().inlined().get(0);
    assertThat(small.destination()).isEqualTo(SMALL.destination());
    assertThat(small.body().open()).hasContent("small\n");
  }

  @Test
  void aMessageOfAnotherVersionIsRefusedWithTheReason() throws IOException {
    byte[] message =
        new TaskMessage(true, TaskManifest.of("id", ATTEMPT, List.of(UPLOAD))).toBytes();
    byte[] newer =
        new String(message, ISO_8859_1)
            .replaceFirst("\"version\":\\d+", "\"version\":99")
            .getBytes(ISO_8859_1);
    assertThat(newer).isNotEqualTo(message);

    assertThatThrownBy(() -> TaskMessage.of(newer))
        .hasMessageContaining("commit message of a Spark task")
        .hasMessageContaining("Driver and executors have different versions");
  }
}
