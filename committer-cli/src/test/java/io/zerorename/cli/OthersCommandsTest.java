package io.zerorename.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.testing.docs.Command;
import io.zerorename.testing.docs.Page;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.util.List;
import org.apache.hadoop.fs.FsShell;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What pages tell a reader to type, of programs that Hadoop brings. */
class OthersCommandsTest extends OnTable {
  /** As the pages call them. */
  private static final String OUTPUT = "output";

  private static final String TABLE = "warehouse/sales.db/orders";

  @BeforeEach
  void commitJobs() throws IOException {
    CommittedOutput.write(bucket.conf(), bucket.path(OUTPUT), "one", "two");
    CommittedOutput.write(bucket.conf(), bucket.path(TABLE), "three");
  }

  @Test
  void hadoopsCommandsPrintWhatIsThere() {
    List<Command> typed =
        Page.all().flatMap(Page::commands).filter(it -> it.program().equals("hadoop")).toList();
    assertThat(typed).isNotEmpty();
    assertThat(typed)
        .allSatisfy(
            command ->
                assertThat(printed(command))
                    .as(command.text())
                    .containsAnyOf("\"committer\" : \"zerorename\"", "_zerorename/"));
  }

  /** Types it on the host of a reader whose bucket is the test's. */
  private String printed(Command command) {
    assertThat(command.arguments().get(0)).isEqualTo("fs");
    String[] arguments =
        command.arguments().stream()
            .skip(1)
            .map(argument -> argument.replace("s3a://bucket/", bucket.path("").toString()))
            .toArray(String[]::new);
    PrintStream before = System.out;
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    System.setOut(new PrintStream(printed, true, UTF_8));
    try {
      assertThat(new FsShell(bucket.conf()).run(arguments)).as("exit code").isZero();
    } catch (Exception e) {
      throw new AssertionError("it has failed", e);
    } finally {
      System.setOut(before);
    }
    return printed.toString(UTF_8);
  }
}
