package io.zerorename.core.scale;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.core.log.PlanWriter;
import io.zerorename.testing.Published;
import io.zerorename.testing.process.Await;
import io.zerorename.testing.process.ChildJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * P7: a commit of a million uploads, which replaces a million objects, in a JVM of 512 MiB. The
 * store and the manifests are made up as they are asked for; the log is on disk.
 */
@Tag("thorough")
class MillionFilesTest {
  static final int MANIFESTS = 1_000;
  static final int FILES_PER_MANIFEST = 1_000;

  @TempDir Path directory;

  @Test
  void aMillionFilesAreCommittedInASmallHeap() throws Exception {
    try (ChildJvm process =
        ChildJvm.start(
            ChildJvm.Command.of(MillionFiles.class)
                .withOptions(List.of("-Xmx512m", "-XX:TieredStopAtLevel=4"))
                .withArguments(List.of(directory.toString())),
            directory.resolve("child.log"))) {
      List<String> output = process.await(0, line -> line.startsWith("done"), Await.LIMIT);
      assertThat(output)
          .containsExactly(
              "reported 1000000 files, 1000000 replaced, 0 uploads aborted",
              "completed 1000000, none of them twice",
              // Not all of them are listed.
              "asked for the parts of 1",
              "deleted 1000000 in batches of 1000",
              "open commits: 0",
              "done");
    }
    publishSize();
  }

  /** The log is left as it is for seven days. */
  private void publishSize() throws IOException {
    List<Path> documents = below("parts");
    List<Path> records = below("log");
    long entry = Files.size(records.get(0));
    long bytes = 0;
    for (Path document : documents) {
      bytes += Files.size(document);
    }
    int documentsOfPlan = 2 * MANIFESTS * FILES_PER_MANIFEST / PlanWriter.ENTRIES_PER_CHUNK;
    assertThat(documents).hasSizeBetween(documentsOfPlan, documentsOfPlan + 1);
    Published.as(
        "plan-of-a-million-files",
        "%,d documents with %,d bytes, an entry of %,d bytes"
            .formatted(documents.size(), bytes, entry));
  }

  /** Records of one kind, without those that Hadoop puts beside them; the entry comes first. */
  private List<Path> below(String kind) throws IOException {
    try (Stream<Path> files = Files.list(directory.resolve("log").resolve(kind))) {
      return files.filter(file -> !file.getFileName().toString().startsWith(".")).sorted().toList();
    }
  }
}
