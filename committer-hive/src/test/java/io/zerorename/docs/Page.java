package io.zerorename.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * One page of the documentation.
 *
 * @param prose its lines outside of fenced blocks
 * @param blocks its fenced blocks
 */
record Page(Path file, List<String> prose, List<Block> blocks) {
  private static final Pattern FENCE = Pattern.compile("\\s*```(\\w*)");

  /**
   * A fenced block.
   *
   * @param language as it is labelled, or ""
   */
  record Block(String language, List<String> lines) {
    String text() {
      return String.join("\n", lines);
    }
  }

  static Page of(Path file) {
    List<String> prose = new ArrayList<>();
    List<Block> blocks = new ArrayList<>();
    Block open = null;
    for (String line : SourceTree.read(file).lines().toList()) {
      Matcher fence = FENCE.matcher(line);
      if (!fence.matches()) {
        (open == null ? prose : open.lines()).add(line);
      } else if (open == null) {
        open = new Block(fence.group(1), new ArrayList<>());
      } else {
        blocks.add(open);
        open = null;
      }
    }
    if (open != null) {
      throw new IllegalStateException(file + " ends within a fenced block");
    }
    return new Page(file, List.copyOf(prose), List.copyOf(blocks));
  }

  /** README, CONTRIBUTING and all pages below docs. */
  static Stream<Page> all() {
    Path root = SourceTree.root();
    try (Stream<Path> docs = Files.list(root.resolve("docs"))) {
      return Stream.concat(
              Stream.of(root.resolve("README.md"), root.resolve("CONTRIBUTING.md")),
              docs.filter(it -> it.toString().endsWith(".md")).sorted())
          .toList()
          .stream()
          .map(Page::of);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  String text() {
    return SourceTree.read(file);
  }

  /** What stands between backticks. */
  List<String> code() {
    return SourceTree.find("`([^`]+)`", String.join("\n", prose));
  }

  /** The cells of each row of all tables, headings included. */
  List<List<String>> rows() {
    return prose.stream()
        .filter(line -> line.startsWith("| "))
        .map(line -> Stream.of(line.substring(1).split("\\|")).map(String::strip).toList())
        .toList();
  }

  /** Where links point to that stay within the repository. */
  List<String> links() {
    return SourceTree.find("\\]\\(([^)\\s]+)\\)", String.join("\n", prose)).stream()
        .filter(link -> !link.startsWith("https://"))
        .toList();
  }

  /** As GitHub makes them of headings. */
  List<String> anchors() {
    return SourceTree.find("^#+ (.*)$", String.join("\n", prose)).stream()
        .map(
            heading ->
                heading
                    .toLowerCase(Locale.ROOT)
                    .replaceAll("[^\\p{L}\\p{N} _-]", "")
                    .replace(' ', '-'))
        .toList();
  }

  /** For the names of tests. */
  @Override
  public String toString() {
    return SourceTree.root().relativize(file).toString();
  }
}
