package io.zerorename.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.testing.docs.SourceTree;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** The mutants keep up with the code: what no longer applies proves nothing. */
class MutantsTest {
  private static final Path ROOT = SourceTree.root();

  /** As the script that runs the mutants reads them. */
  private static final Pattern FIRST =
      Pattern.compile("^first: (\\w+)(?:#(\\w+))?$", Pattern.MULTILINE);

  private static final Pattern PART = Pattern.compile("^part: (\\w+)$", Pattern.MULTILINE);

  /** Where the tests of a part are whose platform has a module of its own for them. */
  private static final Map<String, String> PLATFORMS =
      Map.of("hive", "integration-tests/hive", "versions", "integration-tests/spark/writes");

  private static final Pattern CODE = Pattern.compile("^\\+\\+\\+ b/([^/]+)/", Pattern.MULTILINE);

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

  /**
   * Surefire would run nothing, without a failure, for a method that has another name by now, or
   * that is left to the thorough tier.
   */
  @Test
  void theFirstTestOfEachMutantIsInTheQuickTier() throws IOException {
    Map<String, String> missing = new TreeMap<>();
    for (Path patch : mutants()) {
      String text = SourceTree.read(patch);
      MatchResult first = find(FIRST, text);
      String module = PLATFORMS.getOrDefault(find(PART, text).group(1), find(CODE, text).group(1));
      if (!isThere(module, first.group(1), Optional.ofNullable(first.group(2)))) {
        missing.put(patch.getFileName().toString(), first.group() + " in " + module);
      }
    }
    assertThat(missing)
        .as("tests that mutants name by `first:`, and that the quick tier does not have")
        .isEmpty();
  }

  private static MatchResult find(Pattern pattern, String text) {
    return pattern.matcher(text).results().findFirst().orElseThrow();
  }

  /** Whether a module has a quick test class with a quick method, which it may inherit. */
  private static boolean isThere(String module, String testClass, Optional<String> method)
      throws IOException {
    Optional<Path> file;
    try (Stream<Path> files = Files.walk(ROOT.resolve(module).resolve("src/test/java"))) {
      file = files.filter(it -> it.endsWith(testClass + ".java")).findFirst();
    }
    if (file.isEmpty()) {
      return false;
    }
    String java = SourceTree.read(file.get());
    if (java.contains("\n@Tag(\"thorough\")\n")) {
      return false;
    }
    if (method.isEmpty()) {
      return true;
    }
    int declared = java.indexOf(" void " + method.get() + "(");
    if (declared >= 0) {
      // Its annotations are those between it and the blank line before it.
      String annotations = java.substring(java.lastIndexOf("\n\n", declared), declared);
      return !annotations.contains("@Tag(\"thorough\")");
    }
    Matcher parent = Pattern.compile("\\bclass " + testClass + " extends (\\w+)").matcher(java);
    return parent.find() && isThere(module, parent.group(1), method);
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
