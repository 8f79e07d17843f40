package io.zerorename.testing.docs;

import java.util.List;
import java.util.regex.Pattern;

/**
 * A command as a page shows it, so that a reader can type it.
 *
 * @param program its name, without the directories before it
 */
public record Command(String text, String program, List<String> arguments) {
  /** What stands in quotes is one word, or part of one. */
  private static final Pattern WORD = Pattern.compile("(?:[^\\s\"']|\"[^\"]*\"|'[^']*')+");

  /** Whether something in a sentence is a command, of which a sentence may leave a part out. */
  public static boolean isOne(String text) {
    return text.matches(
        "\\./(demo|benchmark)( .*)?|((\\S*bin/)?zerorename|mvn|aws|hadoop|hive|tar|cp) .+");
  }

  /** A line that a shell reads. */
  public static Command of(String line) {
    String text = line.strip().replaceFirst("\\s+#.*", "");
    List<String> words =
        WORD.matcher(text)
            .results()
            .map(word -> word.group().replaceAll("^([\"'])(.*)\\1$", "$2"))
            .toList();
    String program = words.get(0).endsWith("bin/zerorename") ? "zerorename" : words.get(0);
    return new Command(text, program, words.subList(1, words.size()));
  }
}
