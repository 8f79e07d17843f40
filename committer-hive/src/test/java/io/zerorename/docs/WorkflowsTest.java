package io.zerorename.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.testing.docs.Command;
import io.zerorename.testing.docs.Page;
import io.zerorename.testing.docs.SourceTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A public host builds by the commands that contributors type. */
class WorkflowsTest {
  /** A value that differs from one job of a matrix to the next. */
  private static final String VALUE = "\\$\\{\\{[^}]*}}";

  static List<Path> workflows() throws IOException {
    try (Stream<Path> files = Files.list(SourceTree.root().resolve(".github/workflows"))) {
      return files.sorted().toList();
    }
  }

  @ParameterizedTest
  @MethodSource("workflows")
  void eachCommandIsOneThatAPageShows(Path workflow) {
    List<String> shown =
        Page.all()
            .flatMap(
                page -> Stream.concat(page.commands().map(Command::text), page.code().stream()))
            .map(command -> command.replaceAll("\\s+", " "))
            .toList();
    assertThat(commands(workflow))
        .isNotEmpty()
        .allSatisfy(
            command ->
                assertThat(shown)
                    .as(command)
                    .anyMatch(it -> pattern(command).matcher(it).matches()));
  }

  @Test
  void nightlyRunsEachPartOfTheThoroughTier() {
    assertThat(
            SourceTree.find("^ +part: \\[(.*)]$", SourceTree.read(".github/workflows/nightly.yml")))
        .containsExactly(
            String.join(
                ", ",
                SourceTree.find("<regex>(.*)</regex>", SourceTree.read("pom.xml"))
                    .get(0)
                    .split("\\|")));
  }

  private static List<String> commands(Path workflow) {
    return SourceTree.find("- run: (.*(?:\n {10,}.*)*)", SourceTree.read(workflow)).stream()
        .map(it -> it.replaceFirst("^>-", "").replaceAll("\\s+", " ").strip())
        .toList();
  }

  private static Pattern pattern(String command) {
    return Pattern.compile(
        Stream.of(command.split(VALUE, -1))
            .map(Pattern::quote)
            .reduce((a, b) -> a + "\\S+" + b)
            .orElseThrow());
  }
}
