package io.zerorename.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.testing.docs.Page;
import io.zerorename.testing.docs.SourceTree;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.xml.sax.InputSource;

/** Whatever a page names is there. */
class DocumentsTest {
  private static final String QUALIFIED_NAME = "\\b(io\\.zerorename(?:\\.\\w+)+)";
  private static final String CLASS = "`((?:core|magic|hive)\\.(?:[a-z0-9]+\\.)*[A-Z]\\w+)`";
  private static final String ARTIFACT =
      "zero-rename-(?:committer|commands)-(\\d\\S*?)\\.(?:jar|tar\\.gz)";
  private static final String TEST = "\\b([A-Z]\\w+Test)\\b";

  static Stream<Page> pages() {
    return Page.all();
  }

  @Test
  void eachPageIsInTheIndex() {
    Path docs = SourceTree.root().resolve("docs");
    assertThat(
            pages()
                .map(Page::file)
                .filter(file -> file.startsWith(docs) && !file.equals(docs.resolve("README.md")))
                .map(file -> docs.relativize(file).toString()))
        .isSubsetOf(Page.of(docs.resolve("README.md")).links());
  }

  /** So that no test here passes because it finds nothing to compare; there is more of each. */
  @Test
  void pagesNameSomethingOfEachKind() {
    String text = pages().map(Page::text).collect(Collectors.joining("\n"));
    assertThat(pages().flatMap(page -> page.links().stream())).as("links").hasSizeGreaterThan(80);
    assertThat(SourceTree.find(QUALIFIED_NAME, text)).as("classes").hasSizeGreaterThan(10);
    assertThat(SourceTree.find(TEST, text)).as("tests").hasSizeGreaterThan(20);
    assertThat(pages().flatMap(Page::commands)).as("commands").hasSizeGreaterThan(20);
    assertThat(pages().flatMap(Page::mentionedCommands)).hasSizeGreaterThan(20);
  }

  /** What readers copy has the version that the build gives to the files. */
  @Test
  void namesOfFilesHaveTheProjectsVersion() throws IOException {
    String version =
        SourceTree.find("<version>([^<]+)</version>", SourceTree.read("pom.xml")).get(0);
    StringBuilder text = new StringBuilder();
    pages().map(Page::text).forEach(text::append);
    try (Stream<Path> examples = Files.walk(SourceTree.root().resolve("conf-examples"))) {
      examples.filter(Files::isRegularFile).map(SourceTree::read).forEach(text::append);
    }
    assertThat(SourceTree.find(ARTIFACT, text.toString())).containsOnly(version);
    assertThat(version).doesNotContain("SNAPSHOT");
  }

  @ParameterizedTest
  @MethodSource("pages")
  void linksLeadToFilesAndHeadingsThatExist(Page page) {
    assertThat(page.links())
        .allSatisfy(
            link -> {
              String[] parts = link.split("#", 2);
              Path target = parts[0].isEmpty() ? page.file() : page.file().resolveSibling(parts[0]);
              assertThat(target).exists();
              if (parts.length == 2) {
                assertThat(Page.of(target).anchors()).contains(parts[1]);
              }
            });
  }

  @ParameterizedTest
  @MethodSource("pages")
  void classesAndPackagesExist(Page page) {
    assertThat(SourceTree.find(QUALIFIED_NAME, page.text())).allMatch(SourceTree::has);
    assertThat(SourceTree.find(CLASS, page.text()))
        .allMatch(name -> SourceTree.has("io.zerorename." + name));
  }

  @ParameterizedTest
  @MethodSource("pages")
  void testsExist(Page page) {
    assertThat(SourceTree.find(TEST, page.text()))
        // Hadoop's own, which one page lists.
        .filteredOn(name -> !name.startsWith("AbstractContract"))
        .isSubsetOf(SourceTree.tests());
  }

  @ParameterizedTest
  @MethodSource("pages")
  void xmlIsWellFormed(Page page) throws Exception {
    for (Page.Block block : page.blocks()) {
      if (block.language().equals("xml")) {
        assertThat(
                DocumentBuilderFactory.newInstance()
                    .newDocumentBuilder()
                    .parse(new InputSource(new StringReader(block.text())))
                    .getDocumentElement()
                    .getTagName())
            .isEqualTo("configuration");
      }
    }
  }

  @ParameterizedTest
  @MethodSource("pages")
  void commandsCanBeTyped(Page page) {
    assertThat(Stream.concat(page.commands(), page.mentionedCommands()))
        .allSatisfy(
            command -> assertThat(CommandProblems.of(command)).as(command.text()).isEmpty());
  }

  @Test
  void theTestsThatTypeCommandsOfOthersExist() {
    assertThat(CommandProblems.TYPED_BY.values()).allMatch(SourceTree::has);
  }
}
