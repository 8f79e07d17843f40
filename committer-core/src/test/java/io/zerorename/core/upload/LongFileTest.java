package io.zerorename.core.upload;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.core.store.UploadedPart;
import io.zerorename.testing.process.Await;
import io.zerorename.testing.process.ChildJvm;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("thorough")
class LongFileTest {

  @Test
  void aFileOfFiveGibibytesPassesThroughASmallHeapInPartsThatGrow(@TempDir Path directory)
      throws Exception {
    Path spill = Files.createDirectory(directory.resolve("spill"));
    try (ChildJvm writer =
        ChildJvm.start(
            ChildJvm.Command.of(LongFile.class)
                .withOptions(List.of("-Xmx64m", "-XX:+ExitOnOutOfMemoryError"))
                .withArguments(List.of(spill.toString())),
            directory.resolve("writer.log"))) {
      List<String> parts = writer.await(0, "done"::equals, Await.LIMIT);
      assertThat(parts.subList(0, parts.size() - 1)).isEqualTo(expectedParts());
    }
    assertThat(spill).isEmptyDirectory();
  }

  private static List<String> expectedParts() {
    PartSizes sizes = new PartSizes(LongFile.PART_SIZE);
    List<String> parts = new ArrayList<>();
    long left = LongFile.LENGTH;
    for (int number = 1; left > 0; number++) {
      long size = Math.min(left, sizes.of(number));
      parts.add(LongFile.line(new UploadedPart(number, "etag", size)));
      left -= size;
    }
    // As many as without growth would be five times more.
    assertThat(parts).hasSizeLessThan(1_500);
    return parts;
  }
}
