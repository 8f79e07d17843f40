package io.zerorename.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.testing.docs.SourceTree;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** The mutants keep up with the code: what no longer applies proves nothing. */
class MutantsTest {
  private static final Path ROOT = SourceTree.root();

  @Test
  void eachMutantAppliesToTheCode() throws Exception {
    Map<String, String> refused = new TreeMap<>();
    List<Path> mutants = mutants();
    for (Path patch : mutants) {
      Process git = check(patch);
      String answer = new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (git.waitFor() != 0) {
        refused.put(patch.getFileName().toString(), answer.strip());
      }
    }
    assertThat(mutants).as("patches in integration-tests/mutants").hasSizeGreaterThanOrEqualTo(150);
    assertThat(refused)
        .as(
            "mutants that do not apply to the code any more, and what git says of each. Write its"
                + " diff anew, so that it still breaks what its first sentence says, and let"
                + " `integration-tests/mutants/run` show for its number that a test notices")
        .isEmpty();
  }

  /** Surefire would run nothing, without a failure, for a class that is no more. */
  @Test
  void theFirstTestOfEachMutantExists() throws IOException {
    assertThat(mutants())
        .allSatisfy(
            it ->
                assertThat(SourceTree.find("^first: (\\w+)", SourceTree.read(it)))
                    .hasSize(1)
                    .isSubsetOf(SourceTree.tests()));
  }

  private static List<Path> mutants() throws IOException {
    try (Stream<Path> files = Files.list(ROOT.resolve("integration-tests/mutants"))) {
      return files.filter(it -> it.toString().endsWith(".patch")).toList();
    }
  }

  private static Process check(Path patch) {
    ProcessBuilder git =
        new ProcessBuilder("git", "apply", "--check", patch.toString())
            .directory(ROOT.toFile())
            .redirectErrorStream(true);
    git.environment().keySet().removeIf(name -> name.startsWith("GIT_"));
    // In a part of another repository, git would skip each patch without an error.
    git.environment().put("GIT_CEILING_DIRECTORIES", String.valueOf(ROOT.getParent()));
    try {
      return git.start();
    } catch (IOException e) {
      return Assumptions.abort("git cannot be started, which looks whether mutants apply: " + e);
    }
  }
}
