package io.zerorename.docs;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.base.Splitter;
import io.zerorename.testing.docs.Page;
import io.zerorename.testing.docs.SourceTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * The catalogue of messages, which {@code zerorename help} prints, is generated from the code, but
 * for the explanations, which stand only there; {@code -Dmessages.update} writes it. The page of
 * messages is written by hand, and names some of them.
 */
class MessagesPageTest {
  private static final Path FILE =
      SourceTree.root().resolve("committer-cli/src/main/resources/io/zerorename/cli/messages.md");
  private static final Page PAGE = Page.of(SourceTree.root().resolve("docs/messages.md"));
  private static final Pattern ENTRY =
      Pattern.compile(
          "^- \\*\\*(ZR-\\d{4})\\*\\* .*\\n  (.*(?:\\n(?!- |#|\\n).*)*)", Pattern.MULTILINE);
  private static final String NO_EXPLANATION = "say here what it means and what to do";
  private static final int WIDTH = 116;

  /** A space that is not between backticks, so that commands stay in one line. */
  private static final String OUTSIDE_OF_CODE = " (?=(?:[^`]*`[^`]*`)*[^`]*$)";

  /** By the first digits of a code. */
  private static final Map<String, String> AREAS =
      Map.ofEntries(
          Map.entry("11", "Commit of a job"),
          Map.entry("12", "Commit log"),
          Map.entry("13", "Recovery"),
          Map.entry("14", "Manifests and records: what is in them"),
          Map.entry("15", "Records: where they are kept"),
          Map.entry("21", "Uploads"),
          Map.entry("22", "Pending files of a task"),
          Map.entry("23", "Writers of Hive"),
          Map.entry("31", "Records of a job, and its clean-up"),
          Map.entry("32", "Settings"),
          Map.entry("41", "Requests to S3"),
          Map.entry("42", "Repeated requests, and order of listings"),
          Map.entry("50", "Hive's own rename path, and why"),
          Map.entry("51", "The hook, and names of tables"),
          Map.entry("52", "Commit of a statement of Hive"),
          Map.entry("53", "Metastore"),
          Map.entry("54", "Statements that do not go through the committer"),
          Map.entry("61", "MapReduce and Tez"),
          Map.entry("71", "Spark"),
          Map.entry("91", "Commands"),
          Map.entry("93", "doctor"),
          Map.entry("94", "Names of tables"),
          Map.entry("95", "verify"));

  @Test
  void noCodeHasTwoTextsAndNoTextTwoCodes() {
    Map<String, Set<String>> texts = CodedMessages.byCode();
    assertThat(texts).hasSizeGreaterThan(200).allSatisfy((code, of) -> assertThat(of).hasSize(1));
    assertThat(texts.values()).doesNotHaveDuplicates();
  }

  @Test
  void theCatalogueIsWhatTheCodeSays() throws IOException {
    String page = SourceTree.read(FILE);
    String generated = generated(page);
    if (System.getProperty("messages.update") != null) {
      Files.writeString(FILE, generated);
    }
    assertThat(SourceTree.read(FILE)).as("-Dmessages.update writes it").isEqualTo(generated);
    assertThat(generated.lines())
        .as("codes without an explanation")
        .noneMatch(line -> line.contains(NO_EXPLANATION));
  }

  @Test
  void thePageHasBeginningsOfTexts() {
    Map<String, Set<String>> texts = CodedMessages.byCode();
    List<String> begun = PAGE.code().stream().filter(it -> it.matches("ZR-\\d{4}: .*")).toList();
    assertThat(begun)
        .hasSizeGreaterThan(80)
        .doesNotHaveDuplicates()
        .allSatisfy(
            it ->
                assertThat(texts.get(it.substring(0, 7)))
                    .singleElement()
                    .asString()
                    .startsWith(it.substring(9).replaceFirst("…$", "")));
  }

  @Test
  void pagesNameCodesThatExist() {
    assertThat(Page.all().flatMap(page -> SourceTree.find("(ZR-\\d{4})", page.text()).stream()))
        .isSubsetOf(CodedMessages.byCode().keySet());
  }

  @Test
  void whatTheCatalogueNamesExists() {
    Page catalogue = Page.of(FILE);
    assertThat(SourceTree.find("\\b((?:docs|conf-examples)/[\\w/-]+\\.\\w+)", catalogue.text()))
        .hasSizeGreaterThan(10)
        .allSatisfy(name -> assertThat(SourceTree.root().resolve(name)).exists());
    assertThat(catalogue.mentionedCommands())
        .hasSizeGreaterThan(20)
        .allSatisfy(
            command -> assertThat(CommandProblems.of(command)).as(command.text()).isEmpty());
  }

  private static String generated(String page) {
    Map<String, String> explanations = new HashMap<>();
    ENTRY
        .matcher(page)
        .results()
        .forEach(it -> explanations.put(it.group(1), it.group(2).replaceAll("\\s+", " ").strip()));
    StringBuilder generated = new StringBuilder(page.substring(0, page.indexOf("\n## ")));
    String area = "";
    for (Map.Entry<String, Set<String>> message : CodedMessages.byCode().entrySet()) {
      String code = message.getKey();
      if (!code.substring(3, 5).equals(area)) {
        area = code.substring(3, 5);
        generated
            .append("\n## ZR-")
            .append(area)
            .append("xx: ")
            .append(AREAS.get(area))
            .append("\n\n");
      }
      generated.append("- **").append(code).append("** `");
      generated.append(String.join("` or `", message.getValue())).append("`\n");
      append(generated, explanations.getOrDefault(code, NO_EXPLANATION));
    }
    return generated.toString();
  }

  /** Indented, in lines that can be read without scrolling. */
  private static void append(StringBuilder page, String explanation) {
    StringBuilder line = new StringBuilder();
    for (String word : Splitter.onPattern(OUTSIDE_OF_CODE).split(explanation)) {
      if (line.length() > 0 && line.length() + word.length() >= WIDTH) {
        page.append("  ").append(line).append('\n');
        line.setLength(0);
      }
      line.append(line.length() == 0 ? "" : " ").append(word);
    }
    page.append("  ").append(line).append('\n');
  }
}
