package io.zerorename.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a user unpacks, and the list of what is in it. */
class ArchiveIT {
  private static final Pattern LINK = Pattern.compile("]\\(([^)#]+)");
  private static final Pattern SHELL =
      Pattern.compile("^ *```sh\\n(.*?)^ *```$", Pattern.MULTILINE | Pattern.DOTALL);

  @TempDir private static Path directory;

  private static Path top;

  @BeforeAll
  static void unpack() throws Exception {
    Process tar =
        new ProcessBuilder("tar", "-xzf", Artifacts.archive().toAbsolutePath().toString())
            .directory(directory.toFile())
            .inheritIO()
            .start();
    assertThat(tar.waitFor()).as("exit code of tar").isZero();
    top = directory.resolve(Artifacts.NAME);
  }

  @Test
  void everythingIsInOneDirectory() throws IOException {
    assertThat(names(directory)).containsExactly(Artifacts.NAME);
    assertThat(names(top))
        .containsExactlyInAnyOrder(
            "CHANGELOG.md",
            "CONTRIBUTING.md",
            "LICENSE",
            "NOTICE",
            "README.md",
            "SECURITY.md",
            "bin",
            "conf-examples",
            "docs",
            "lib");
  }

  @Test
  void libHasTheOneJarAndThoseOfTheCommands() throws IOException {
    assertThat(names(top.resolve("lib")).stream().map(name -> name.replaceFirst("-[0-9].*", "")))
        .containsExactlyInAnyOrder("zero-rename-committer", "committer-cli", "picocli");
    assertThat(top.resolve("lib").resolve(Artifacts.NAME + ".jar"))
        .hasSameBinaryContentAs(Artifacts.jar());
  }

  /** What the page tells a reader to type, by a shell, in a directory with the archive. */
  @Test
  void quickStartPutsTheJarIntoHivesDirectory(@TempDir Path home) throws Exception {
    String unpacking =
        matches(SHELL, Files.readString(top.resolve("docs/quick-start.md"))).stream()
            .filter(block -> block.contains("tar "))
            .findFirst()
            .orElseThrow();
    Files.createSymbolicLink(
        home.resolve(Artifacts.archive().getFileName()), Artifacts.archive().toAbsolutePath());
    ProcessBuilder shell =
        new ProcessBuilder("sh", "-e", "-c", unpacking).directory(home.toFile()).inheritIO();
    shell.environment().put("HIVE_HOME", home.resolve("hive").toString());
    assertThat(shell.start().waitFor()).as("exit code of the shell").isZero();
    assertThat(names(home.resolve("hive/auxlib"))).containsExactly(Artifacts.NAME + ".jar");
    assertThat(home.resolve(Artifacts.NAME).resolve("bin/zerorename")).isExecutable();
  }

  /** But those of pages for contributors, who have the sources. */
  @Test
  void linksOfThePagesLeadToFilesThatAreThere() throws IOException {
    List<Path> pages;
    try (Stream<Path> files = Files.walk(top)) {
      pages =
          files
              .filter(file -> file.toString().endsWith(".md"))
              .filter(file -> !file.startsWith(top.resolve("docs/design")))
              .filter(file -> !file.endsWith("CONTRIBUTING.md"))
              .toList();
    }
    assertThat(pages).contains(top.resolve("README.md"), top.resolve("docs/runbook.md"));
    for (Path page : pages) {
      assertThat(links(Files.readString(page)))
          .as("links of %s", top.relativize(page))
          .allSatisfy(link -> assertThat(page.resolveSibling(link)).exists());
    }
  }

  private static List<String> links(String page) {
    return matches(LINK, page).stream().filter(link -> !link.startsWith("http")).toList();
  }

  private static List<String> matches(Pattern pattern, String text) {
    return pattern.matcher(text).results().map((MatchResult match) -> match.group(1)).toList();
  }

  private static List<String> names(Path parent) throws IOException {
    try (Stream<Path> files = Files.list(parent)) {
      return files.map(file -> file.getFileName().toString()).toList();
    }
  }
}
