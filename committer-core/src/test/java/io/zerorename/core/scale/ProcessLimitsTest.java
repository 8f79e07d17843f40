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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a process has limits for. */
class ProcessLimitsTest {
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
      assertThat(output).contains("threads: " + (COMMITS + MOST_FURTHER));
    }
  }
}
