package io.zerorename.docs;

import io.zerorename.testing.docs.SourceTree;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What the sources say to users: the texts that begin with a code. */
final class CodedMessages {
  private static final Pattern CODED =
      Pattern.compile("\"(?:zero-rename: )?(ZR-\\d{4})(?:: |\", *\\n? *\")");

  /** Stands for a name or a number. */
  private static final String GAP = "…";

  private CodedMessages() {}

  /** The texts of each code; of a right one there is one. */
  static Map<String, Set<String>> byCode() {
    Map<String, Set<String>> texts = new TreeMap<>();
    for (String java : SourceTree.ofProduct()) {
      Matcher coded = CODED.matcher(java);
      while (coded.find()) {
        texts
            .computeIfAbsent(coded.group(1), code -> new TreeSet<>())
            .add(textAt(java, coded.end()));
      }
    }
    return texts;
  }

  /** The rest of the expression of which a literal was read as far as there. */
  private static String textAt(String java, int within) {
    StringBuilder text = new StringBuilder();
    boolean literal = true;
    for (int i = within; ; i++) {
      char c = java.charAt(i);
      if (c == '"') {
        literal = !literal;
      } else if (literal) {
        i += c == '\\' ? 1 : 0;
        text.append(java.charAt(i));
      } else if (c == '(') {
        i = end(java, i + 1) - 1;
        gap(text);
      } else if (",;)".indexOf(c) >= 0 || java.startsWith(".formatted(", i)) {
        return text.toString().replaceAll("\\{}|%[sd]", GAP).replaceAll(GAP + "+", GAP).strip();
      } else if (c != '+' && !Character.isWhitespace(c)) {
        gap(text);
      }
    }
  }

  private static void gap(StringBuilder text) {
    if (!text.toString().endsWith(GAP)) {
      text.append(GAP);
    }
  }

  /** Behind the parenthesis that closes the one before this index. */
  private static int end(String java, int index) {
    int open = 1;
    boolean literal = false;
    for (int i = index; ; i++) {
      char c = java.charAt(i);
      if (literal) {
        i += c == '\\' ? 1 : 0;
        literal = c != '"';
      } else {
        literal = c == '"';
        open += c == '(' ? 1 : c == ')' ? -1 : 0;
        if (open == 0) {
          return i + 1;
        }
      }
    }
  }
}
