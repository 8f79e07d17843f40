package io.zerorename.core.document;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.zerorename.core.commit.Calls;
import io.zerorename.core.commit.InMemoryFiles;
import io.zerorename.core.commit.SimulatedFileSystem;
import io.zerorename.core.store.RepeatableBody;
import io.zerorename.core.store.UploadedPart;
import io.zerorename.core.upload.InlineFile;
import io.zerorename.core.upload.PendingUpload;
import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
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

  private final FileSystem fileSystem =
      new SimulatedFileSystem("manifest", new InMemoryFiles(), Calls.undisturbed());
  private final Path file = new Path("sim://manifest/000000_0");

  @Test
  void whatIsWrittenIsReadBack() throws IOException {
    MANIFEST.write(fileSystem, file);
    assertThat(TaskManifest.read(fileSystem, file)).isEqualTo(MANIFEST);
    TaskManifest none = TaskManifest.of("job", "attempt_1", List.of());
    none.write(fileSystem, file);
    assertThat(TaskManifest.read(fileSystem, file)).isEqualTo(none);
  }

  @Test
  void everyTruncationIsNoticed() throws IOException {
    String text = text();
    for (int length = 0; length < text.length(); length++) {
      write(text.substring(0, length));
      assertThatThrownBy(() -> TaskManifest.read(fileSystem, file))
          .as("first %s characters", length)
          .isInstanceOf(MalformedDocumentException.class)
          .hasMessageContaining("Cannot read the task manifest " + file)
          .hasMessageContaining("damaged after its task had written it");
    }
  }

  @Test
  void aNewerVersionSaysThatReleasesDiffer() throws IOException {
    write(text().replace("\"version\":4", "\"version\":5"));
    assertThatThrownBy(() -> TaskManifest.read(fileSystem, file))
        .isInstanceOf(MalformedDocumentException.class)
        .hasMessageContaining("it has version 5 and this committer reads version 4")
        .hasMessageContaining("the same release must be on all machines");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "version",
        "content",
        "jobId",
        "taskAttemptId",
        "uploads",
        "destination",
        "uploadId",
        "identity",
        "parts",
        "number",
        "etag",
        "size",
        "checksums",
        "inlined"
      })
  void aMissingOrUnknownFieldIsNamed(String field) throws IOException {
    ObjectMapper mapper = new ObjectMapper();
    JsonNode without = mapper.readTree(text());
    JsonNode renamed = mapper.readTree(text());
    assertThat(((ObjectNode) without.findParent(field)).remove(field)).isNotNull();
    ObjectNode parent = (ObjectNode) renamed.findParent(field);
    parent.set("x" + field, parent.get(field));
    for (JsonNode tampered : List.of(without, renamed)) {
      write(tampered.toString());
      assertThatThrownBy(() -> TaskManifest.read(fileSystem, file))
          .as("%s", tampered)
          .isInstanceOf(MalformedDocumentException.class)
          .hasMessageContaining(field);
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
        "\"number\":2 | \"number\":4294967297 | uploads/0/parts/1/number: ",
        "\"size\":7 | \"size\":-7 | part size -7 is negative",
        "\"size\":7 | \"size\":99999999999999999999 | uploads/0/parts/1/size: ",
        "\"uploadId\":\"upload-1\" | \"uploadId\":7 | uploads/0/uploadId: it is not a string",
        "s3a://bucket/t/ | /t/ | names no file system",
        "s3a://bucket/t/ | s3a://bucket/t/../../ | no name, such as \"..\"",
        "s3a://bucket/t/ | s3a://bucket/./t/ | no name",
        // Nothing is converted.
        "\"checksums\":{} | \"checksums\":null | checksums",
        "\"CRC32C\":\"yZRlqg==\" | \"CRC32C\":7 | uploads/0/parts/1/checksums/CRC32C: it is not",
        "\"CRC32C\":\"yZRlqg==\" | \"CRC32C\":null | uploads/0/parts/1",
        "\"size\":7 | \"size\":null | size",
        "\"size\":7 | \"size\":\"7\" | size",
        "\"size\":7 | \"size\":true | size",
        "\"size\":7 | \"size\":[7] | size",
        "\"size\":7 | \"size\":7.0 | size",
        "\"inlined\":[] | \"inlined\":null | inlined",
        "\"inlined\":[] | \"inlined\":{} | inlined",
        "\"inlined\":[] | \"inlined\":[null] | Cannot read",
      })
  void anImpossibleValueIsToldAsSuch(String original, String tampered, String reason)
      throws IOException {
    assertThat(text()).contains(original);
    write(text().replace(original, tampered));
    assertThatThrownBy(() -> TaskManifest.read(fileSystem, file))
        .isInstanceOf(MalformedDocumentException.class)
        .hasMessageContaining(reason);
  }

  @Test
  void twoDocumentsOrAFieldTwiceAreNoManifest() throws IOException {
    for (String text :
        List.of(
            text() + text(),
            text() + "x",
            text() + "\n" + text(),
            text().replace("\"jobId\":", "\"jobId\":\"other\",\"jobId\":"),
            "[]",
            "ORC")) {
      write(text);
      assertThatThrownBy(() -> TaskManifest.read(fileSystem, file))
          .as(text)
          .isInstanceOf(MalformedDocumentException.class);
    }
  }

  @Test
  void bytesOfSmallFilesFollowAndAreReadWithThem() throws IOException {
    for (String last : List.of("\n\nbb", "\n".repeat(1 << 20))) {
      TaskManifest manifest = withSmallFiles(last);
      manifest.write(fileSystem, file);
      TaskManifest read = TaskManifest.read(fileSystem, file);
      fileSystem.delete(file, false);

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
      withSmallFiles(last).write(fileSystem, file);
      cutOff();
      assertThatThrownBy(() -> TaskManifest.read(fileSystem, file))
          .isInstanceOf(MalformedDocumentException.class)
          .hasMessageContaining(file + ": the bytes of a small file are not in it");
    }
  }

  private void cutOff() throws IOException {
    byte[] all;
    try (InputStream in = fileSystem.open(file)) {
      all = in.readAllBytes();
    }
    write(new String(all, 0, all.length - 1, UTF_8));
  }

  /** What reads it must not meet a null: a recovery goes on only behind what is malformed. */
  @Test
  void aDocumentWithoutContentIsMalformed() throws IOException {
    write("{\"version\":4,\"content\":null}");
    assertThatThrownBy(() -> TaskManifest.read(fileSystem, file))
        .isInstanceOf(MalformedDocumentException.class)
        .hasMessageContaining("in place of START_OBJECT");
  }

  @Test
  void anObjectOfManyBlocksIsReadToItsEndAndNoFurther() throws IOException {
    List<InlineFile> many = new ArrayList<>();
    for (int i = 0; i < 10_000; i++) {
      many.add(small("identity-" + i, i + "\n"));
    }
    new TaskManifest("job", "attempt_0", List.of(), many).write(fileSystem, file);
    List<InlineFile> read = TaskManifest.read(fileSystem, file).inlined();
    assertThat(read).hasSize(10_000);
    assertThat(contentOf(read.get(0))).isEqualTo("0\n");
    assertThat(contentOf(read.get(9_999))).isEqualTo("9999\n");
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
    assertThatThrownBy(() -> manifest.toJson())
        .isInstanceOf(EOFException.class)
        .hasMessage("ZR-1402: a small file has " + length + " bytes where 4 were written");
    assertThatThrownBy(() -> manifest.write(fileSystem, file)).isInstanceOf(EOFException.class);
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

  private String text() throws IOException {
    MANIFEST.write(fileSystem, file);
    try (InputStream in = fileSystem.open(file)) {
      return new String(in.readAllBytes(), UTF_8);
    }
  }

  private void write(String text) throws IOException {
    try (OutputStream out = fileSystem.create(file, true)) {
      out.write(text.getBytes(UTF_8));
    }
  }
}
