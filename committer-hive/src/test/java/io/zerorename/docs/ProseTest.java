package io.zerorename.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.testing.docs.Page;
import io.zerorename.testing.docs.SourceTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Pages are in short lines, short sentences and the words of the field. */
class ProseTest {
  private static final int LINE = 120;

  /** Words of a sentence that is still read at once. */
  private static final int SENTENCE = 25;

  /** Words of a sentence that nobody reads to its end. */
  private static final int LONGEST = 40;

  /** Of a hundred sentences, how many may be longer than {@link #SENTENCE}. */
  private static final int LONG_ONES = 10;

  private static final Pattern BANNED =
      Pattern.compile(
          "\\b(whoever|ours|(is|are) told|broken off|brought to (its|their) end)\\b",
          Pattern.CASE_INSENSITIVE);

  /** Of comments and of texts; a literal or a comment is what follows the first of its marks. */
  private static final Pattern BANNED_IN_CODE =
      Pattern.compile(
          "(\\*|//|\").*\\b(whoever|nobody|somebody|stranger|ours|told|tells|seam|mended|left over"
              + "|hand(s|ed)? over|broken off|carried out|announced)\\b",
          Pattern.CASE_INSENSITIVE);

  private static final Pattern END = Pattern.compile("(?<=[.!?:;])\\s+(?=[\\p{Lu}`\\[*(\\d])");

  static Stream<Page> pages() {
    return Page.all();
  }

  @ParameterizedTest
  @MethodSource("pages")
  void linesAreShort(Page page) {
    assertThat(page.prose())
        .filteredOn(line -> !line.startsWith("|") && !line.startsWith("[!["))
        // The text of a message, as it is in the sources.
        .filteredOn(line -> !line.startsWith("- **ZR-"))
        // A long link cannot be broken.
        .filteredOn(line -> line.contains(" "))
        .allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(LINE));
  }

  @ParameterizedTest
  @MethodSource("pages")
  void sentencesAreShort(Page page) {
    List<String> sentences = sentences(page.prose());
    assertThat(sentences)
        .allSatisfy(it -> assertThat(words(it)).as(it).isLessThanOrEqualTo(LONGEST));
    List<String> longOnes = sentences.stream().filter(it -> words(it) > SENTENCE).toList();
    assertThat(longOnes)
        .as("of %d sentences", sentences.size())
        .hasSizeLessThanOrEqualTo(sentences.size() * LONG_ONES / 100 + 1);
  }

  @ParameterizedTest
  @MethodSource("pages")
  void wordsAreThoseOfTheField(Page page) {
    assertThat(page.prose()).noneMatch(line -> BANNED.matcher(line).find());
  }

  @Test
  void commentsAndMessagesHaveTheWordsOfTheField() throws IOException {
    List<String> found = new ArrayList<>();
    int lines = 0;
    for (String module : List.of("core", "magic", "hive", "spark", "cli")) {
      Path sources = SourceTree.root().resolve("committer-" + module + "/src/main/java");
      try (Stream<Path> all = Files.walk(sources)) {
        for (Path source : all.filter(it -> it.toString().endsWith(".java")).toList()) {
          for (String line : Files.readAllLines(source)) {
            lines++;
            if (BANNED_IN_CODE.matcher(line).find()) {
              found.add(source.getFileName() + ": " + line.strip());
            }
          }
        }
      }
    }
    assertThat(found).isEmpty();
    assertThat(lines).isGreaterThan(20_000);
    assertThat("  /** The seam. */").matches(it -> BANNED_IN_CODE.matcher(it).find());
  }

  @Test
  void sentencesAreFound() {
    assertThat(
            sentences(
                List.of(
                    "# Heading",
                    "One `a.b c` is",
                    "here. Two:",
                    "",
                    "- Three [x y](u.md)",
                    "- Four",
                    "| not | this |")))
        .containsExactly("One `code` is here.", "Two:", "Three x y", "Four");
    assertThat(words("One `code` is here.")).isEqualTo(4);
  }

  private static int words(String sentence) {
    return sentence.split("\\s+").length;
  }

  /** Those of paragraphs and of items of lists; headings and tables have none. */
  private static List<String> sentences(List<String> prose) {
    List<String> paragraphs = new ArrayList<>(List.of(""));
    for (String line : prose) {
      if (line.isBlank() || line.startsWith("|") || line.startsWith("#")) {
        paragraphs.add("");
      } else {
        if (line.matches("\\s*([-*>]|\\d+\\.) .*")) {
          paragraphs.add("");
        }
        String item = line.replaceFirst("^\\s*([-*>]|\\d+\\.) ", "");
        paragraphs.set(
            paragraphs.size() - 1, (paragraphs.get(paragraphs.size() - 1) + " " + item).strip());
      }
    }
    return paragraphs.stream()
        .filter(it -> !it.isEmpty())
        .map(it -> it.replaceAll("`[^`]*`", "`code`").replaceAll("\\[([^]]*)]\\([^)]*\\)", "$1"))
        .flatMap(END::splitAsStream)
        .toList();
  }
}
