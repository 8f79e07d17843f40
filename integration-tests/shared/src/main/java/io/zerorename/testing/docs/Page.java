package io.zerorename.testing.docs;

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
public record Page(Path file, List<String> prose, List<Block> blocks) {
  private static final Pattern FENCE = Pattern.compile("\\s*```(\\w*)");

  /**
   * A fenced block.
   *
   * @param language as it is labelled, or ""
   */
  public record Block(String language, List<String> lines) {
    /** All of it. */
    public String text() {
      return String.join("\n", lines);
    }
  }

  /** Reads a page. */
  public static Page of(Path file) {
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

  /** Those of the top directory, and all below docs. */
  public static Stream<Page> all() {
    Path root = SourceTree.root();
    try (Stream<Path> top = Files.list(root);
        Stream<Path> docs = Files.walk(root.resolve("docs"))) {
      return Stream.concat(top, docs)
          .filter(it -> it.toString().endsWith(".md"))
          .sorted()
          .toList()
          .stream()
          .map(Page::of);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** All of it. */
  public String text() {
    return SourceTree.read(file);
  }

  /** What stands between backticks. */
  public List<String> code() {
    return SourceTree.find("`([^`]+)`", String.join("\n", prose));
  }

  /** What a reader is told to type into a shell: the lines of its blocks for one. */
  public Stream<Command> commands() {
    return blocks.stream()
        .filter(block -> block.language().equals("sh"))
        .flatMap(block -> block.text().replace("\\\n", " ").lines())
        .map(Command::of);
  }

  /** Commands of which its sentences speak, perhaps not in full. */
  public Stream<Command> mentionedCommands() {
    return code().stream().filter(Command::isOne).map(Command::of);
  }

  /** The cells of each row of all tables, headings included. */
  public List<List<String>> rows() {
    return prose.stream()
        .filter(line -> line.startsWith("| "))
        .map(line -> Stream.of(line.substring(1).split("\\|")).map(String::strip).toList())
        .toList();
  }

  /** Where links point to that stay within the repository. */
  public List<String> links() {
    return SourceTree.find("\\]\\(([^)\\s]+)\\)", String.join("\n", prose)).stream()
        .filter(link -> !link.startsWith("https://"))
        .toList();
  }

  /** As GitHub makes them of headings. */
  public List<String> anchors() {
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
