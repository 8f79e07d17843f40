package io.zerorename.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.testing.docs.Page;
import io.zerorename.testing.docs.SourceTree;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The list of messages has those that a person may meet, word for word. */
class OperationsPageTest {
  private static final Page PAGE = Page.of(SourceTree.root().resolve("docs/operations.md"));

  /** Stands for a name or a number. */
  private static final String GAP = "…";

  private static final List<String> MESSAGES =
      PAGE.prose().stream()
          .dropWhile(line -> !line.equals("## Messages"))
          .flatMap(line -> SourceTree.find("^- `([^`]+)` ", line).stream())
          .toList();

  @Test
  void eachMessageIsOneOfTheCode() {
    List<String> sources =
        SourceTree.ofProduct().stream().map(SourceTree::withWholeLiterals).toList();
    assertThat(MESSAGES).hasSizeGreaterThan(100);
    assertThat(MESSAGES)
        .as("messages that the code does not have")
        .filteredOn(message -> sources.stream().noneMatch(source -> has(source, message)))
        .isEmpty();
  }

  private static boolean has(String source, String message) {
    List<String> pieces = pieces(message.split(GAP));
    return !pieces.isEmpty() && pieces.stream().allMatch(source::contains);
  }

  @Test
  void messagesAreInOrder() {
    assertThat(MESSAGES.stream().map(OperationsPageTest::sortKey)).isSorted();
  }

  @Test
  void eachWarningOfTheLogIsAMessage() {
    String page = String.join("\n", MESSAGES);
    List<String> warnings =
        SourceTree.ofProduct().stream()
            .map(SourceTree::withWholeLiterals)
            .flatMap(
                source ->
                    SourceTree.find("LOG\\.(?:warn|error)\\(\\s*\"([^\"]+)\"", source).stream())
            .flatMap(warning -> pieces(warning.split("\\{}")).stream().limit(1))
            .map(piece -> piece.substring(0, Math.min(piece.length(), 40)))
            .toList();
    assertThat(warnings).hasSizeGreaterThan(30);
    assertThat(warnings)
        .as("warnings that the page does not have; say there what a person is to do")
        .filteredOn(warning -> !page.contains(warning))
        .isEmpty();
  }

  /** Long enough to tell one message from another. */
  private static List<String> pieces(String... parts) {
    return Stream.of(parts)
        .map(part -> part.replaceAll("^[\\s:;,.()\"]+|[\\s:;,.()\"]+$", ""))
        .filter(part -> part.length() >= 9)
        .toList();
  }

  private static String sortKey(String message) {
    return message
        .toLowerCase(Locale.ROOT)
        .replaceAll("[^a-z0-9 ]", " ")
        .replaceAll(" +", " ")
        .strip();
  }
}
