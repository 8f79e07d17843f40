package io.zerorename.testing.process;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.io.TempDir;

class ChildJvmTest {
  @TempDir private Path directory;

  @RepeatedTest(3)
  void whatAProcessHasWrittenBeforeItsKillIsReadAfterIt() throws Exception {
    Path count = directory.resolve("count");
    try (ChildJvm process =
        ChildJvm.start(
            ChildJvm.Command.of(Talker.class).withArguments(List.of(count.toString())),
            directory.resolve("talker.log"))) {
      process.await(0, line -> line.equals(Talker.LINE), Await.LIMIT);
      process.kill();
      assertThat(process.output())
          .filteredOn(line -> line.equals(Talker.LINE))
          .hasSizeGreaterThanOrEqualTo(Integer.parseInt(Files.readString(count)));
    }
  }

  /** Writes lines, more than its reader can take, until it is killed. */
  static final class Talker {
    static final String LINE = "talk";
    private static final int TOGETHER = 10_000;

    private Talker() {}

    public static void main(String[] arguments) throws IOException {
      Path count = Path.of(arguments[0]);
      Path next = Path.of(arguments[0] + ".next");
      Files.writeString(count, "0");
      byte[] lines = (LINE + "\n").repeat(TOGETHER).getBytes(UTF_8);
      for (int written = TOGETHER; true; written += TOGETHER) {
        System.out.write(lines);
        System.out.flush();
        Files.writeString(next, Integer.toString(written));
        Files.move(next, count, StandardCopyOption.ATOMIC_MOVE);
      }
    }
  }
}
