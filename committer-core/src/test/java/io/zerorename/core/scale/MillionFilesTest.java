package io.zerorename.core.scale;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.testing.process.Await;
import io.zerorename.testing.process.ChildJvm;
import java.nio.file.Path;
import java.util.List;
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
  }
}
