package io.zerorename.core.scale;

import static io.zerorename.core.scale.CommitsAtOnce.COMMITS;
import static io.zerorename.core.scale.CommitsAtOnce.FILES;
import static io.zerorename.core.scale.CommitsAtOnce.MOST_FURTHER;
import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.testing.process.Await;
import io.zerorename.testing.process.ChildJvm;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a process has limits for. */
class ProcessLimitsTest {
  private static final long MEBIBYTE = 1L << 20;

  /** Of a plan, in memory. */
  private static final long LARGEST_DOCUMENT = 7 * MEBIBYTE;

  @TempDir Path directory;

  @Test
  void manyCommitsAtOnceStayBelowTheLimitsAndSucceed() throws Exception {
    try (ChildJvm process =
        ChildJvm.start(
            ChildJvm.Command.of(CommitsAtOnce.class)
                .withOptions(List.of("-Xmx192m"))
                .withArguments(List.of(directory.toString())),
            directory.resolve("child.log"))) {
      List<String> output = process.await(0, line -> line.startsWith("done"), Await.LIMIT);

      assertThat(output)
          .containsAll(
              IntStream.range(0, COMMITS)
                  .mapToObj(
                      i -> "job-%d: %d files, %d completed, open: 0".formatted(i, FILES, FILES))
                  .toList());
      assertThat(numbers(output, "threads: ")).containsExactly((long) COMMITS + MOST_FURTHER);
      List<Long> kept = numbers(output, "kept: ");
      long limit = kept.get(1);
      assertThat(limit).isLessThan(COMMITS * LARGEST_DOCUMENT);
      assertThat(kept.get(0)).isBetween(limit - LARGEST_DOCUMENT, limit);
      assertThat(output).contains("kept at the end: 0");
    }
  }

  private static List<Long> numbers(List<String> output, String prefix) {
    String line = output.stream().filter(it -> it.startsWith(prefix)).findFirst().orElseThrow();
    return Stream.of(line.substring(prefix.length()).split(" of ")).map(Long::valueOf).toList();
  }
}
