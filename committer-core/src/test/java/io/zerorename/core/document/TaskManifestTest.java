package io.zerorename.core.document;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.zerorename.core.store.RepeatableBody;
import io.zerorename.core.store.UploadedPart;
import io.zerorename.core.upload.InlineFile;
import io.zerorename.core.upload.PendingUpload;
import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.Path;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TaskManifestTest {
  private static final TaskManifest MANIFEST =
      TaskManifest.of(
          "job",
          "attempt_0",
          List.of(
              new PendingUpload(
                  new Path("s3a://bucket/t/name=a b%3A\u00e9/000000_0.job"),
                  "upload-1",
                  List.of(
                      new UploadedPart(1, "\"etag-1\"", 5L << 30),
                      new UploadedPart(2, "\"etag-2\"", 7, Map.of("CRC32C", "yZRlqg=="))),
                  "job",
                  "attempt_0",
                  "identity-1")));

  @Test
  void whatIsWrittenIsReadBack() throws IOException {
    TaskManifest none = TaskManifest.of("job", "attempt_1", List.of());
    for (TaskManifest manifest : List.of(MANIFEST, none)) {
      assertThat(read(manifest.toJson())).isEqualTo(manifest);
    }
  }

  private static TaskManifest read(byte[] document) throws IOException {
    return TaskManifest.read(document, "here");
  }

  private static AbstractThrowableAssert<?, ?> assertMalformed(String text) {
    return assertThatThrownBy(() -> read(text.getBytes(UTF_8)))
        .as(text)
        .isInstanceOf(MalformedDocumentException.class)
        .hasMessageContaining("Cannot read the task manifest here");
  }

  @Test
  void everyTruncationIsNoticed() throws IOException {
    String text = text();
    for (int length = 0; length < text.length(); length++) {
      assertMalformed(text.substring(0, length))
          .hasMessageContaining("damaged after its task had written it");
    }
  }

  @Test
  void aNewerVersionSaysThatReleasesDiffer() throws IOException {
    assertMalformed(text().replace("\"version\":4", "\"version\":5"))
        .hasMessageContaining("it has version 5 and this committer reads version 4")
        .hasMessageContaining("the same release must be on all machines");
  }

  @Test
  void aMissingOrUnknownFieldIsNamed() throws IOException {
    String fields =
        "version content jobId taskAttemptId uploads destination uploadId identity parts number"
            + " etag size checksums inlined";
    ObjectMapper mapper = new ObjectMapper();
    for (String field : fields.split(" ", -1)) {
      JsonNode without = mapper.readTree(text());
      JsonNode renamed = mapper.readTree(text());
      assertThat(((ObjectNode) without.findParent(field)).remove(field)).isNotNull();
      ObjectNode parent = (ObjectNode) renamed.findParent(field);
      parent.set("x" + field, parent.get(field));
      for (JsonNode tampered : List.of(without, renamed)) {
        assertMalformed(tampered.toString()).hasMessageContaining(field);
      }
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "\"version\":4 | \"version\":\"4\" | in place of VALUE_NUMBER_INT",
        "\"number\":1 | \"number\":1.5 | uploads/0/parts/0/number: ",
        "\"number\":2 | \"number\":1 | not in order",
        "\"number\":2 | \"number\":10001 | part number 10001",
        "\"size\":7 | \"size\":-7 | part size -7 is negative",
        "\"size\":7 | \"size\":99999999999999999999 | uploads/0/parts/1/size: ",
        "\"uploadId\":\"upload-1\" | \"uploadId\":7 | uploads/0/uploadId: it is not a string",
        "s3a://bucket/t/ | /t/ | names no file system",
        "s3a://bucket/t/ | s3a://bucket/t/../../ | no name, such as \"..\"",
        // Nothing is converted.
        "\"CRC32C\":\"yZRlqg==\" | \"CRC32C\":7 | uploads/0/parts/1/checksums/CRC32C: it is not",
        "\"CRC32C\":\"yZRlqg==\" | \"CRC32C\":null | uploads/0/parts/1",
        "\"size\":7 | \"size\":null | size",
        "\"inlined\":[] | \"inlined\":null | inlined",
        "\"inlined\":[] | \"inlined\":[null] | Cannot read",
      })
  void anImpossibleValueIsToldAsSuch(String original, String tampered, String reason)
      throws IOException {
    assertThat(text()).contains(original);
    assertMalformed(text().replace(original, tampered)).hasMessageContaining(reason);
  }

  @Test
  void twoDocumentsOrAFieldTwiceAreNoManifest() throws IOException {
    for (String text :
        List.of(
            text() + text(),
            text() + "x",
            text() + "\n" + text(),
            text().replace("\"jobId\":", "\"jobId\":\"other\",\"jobId\":"),
            "{\"version\":4,\"content\":null}",
            "[]",
            "ORC")) {
      assertMalformed(text);
    }
  }

  @Test
  void bytesOfSmallFilesFollowAndAreReadWithThem() throws IOException {
    for (String last : List.of("\n\nbb", "\n".repeat(1 << 20))) {
      TaskManifest manifest = withSmallFiles(last);
      TaskManifest read = read(manifest.toJson());
      assertThat(read.uploads()).isEqualTo(manifest.uploads());
      assertThat(read.inlined()).extracting(InlineFile::identity).containsExactly("a", "b", "c");
      List<String> contents = new ArrayList<>();
      for (InlineFile small : read.inlined()) {
        contents.add(contentOf(small));
      }
      assertThat(contents).containsExactly("{\"a\"\n", "", last);
    }
  }

  @Test
  void aSmallFileThatWasCutOffIsNotTakenForAShorterOne() throws IOException {
    for (String last : List.of("\n\nbb", "c".repeat(1 << 20))) {
      String whole = new String(withSmallFiles(last).toJson(), UTF_8);
      assertMalformed(whole.substring(0, whole.length() - 1))
          .hasMessageContaining("here: the bytes of a small file are not in it");
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {3, 5})
  void aBodyOfAnotherLengthThanItSaysIsNotWritten(int length) {
    RepeatableBody wrong =
        new RepeatableBody() {
          @Override
          public long length() {
            return 4;
          }

          @Override
          public InputStream open() {
            return new ByteArrayInputStream(new byte[length]);
          }
        };
    TaskManifest manifest =
        TaskManifest.of(
            "job",
            "attempt_0",
            List.of(
                small("a", "1"),
                new InlineFile(new Path("s3a://bucket/t/b"), wrong, "job", "attempt_0", "b")));
    assertThatThrownBy(manifest::toJson)
        .isInstanceOf(EOFException.class)
        .hasMessage("ZR-1402: a small file has " + length + " bytes where 4 were written");
  }

  private static TaskManifest withSmallFiles(String last) {
    return new TaskManifest(
        "job",
        "attempt_0",
        MANIFEST.uploads(),
        List.of(small("a", "{\"a\"\n"), small("b", ""), small("c", last)));
  }

  private static InlineFile small(String identity, String content) {
    return new InlineFile(
        new Path("s3a://bucket/t/" + identity),
        RepeatableBody.of(content.getBytes(UTF_8)),
        "job",
        "attempt_0",
        identity);
  }

  private static String contentOf(InlineFile file) throws IOException {
    try (InputStream in = file.body().open()) {
      return new String(in.readAllBytes(), UTF_8);
    }
  }

  private static String text() throws IOException {
    return new String(MANIFEST.toJson(), UTF_8);
  }
}
