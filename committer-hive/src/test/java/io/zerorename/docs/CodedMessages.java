package io.zerorename.docs;

import io.zerorename.testing.docs.SourceTree;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What the sources say to users: the texts that begin with a code, and those that lack one. */
final class CodedMessages {
  private static final String LITERAL = "\"((?:[^\"\\\\\\n]|\\\\.)*)\"";
  private static final Pattern CODED =
      Pattern.compile("\"(?:zero-rename: )?(ZR-\\d{4})(?:: |\", *\\n? *\")");

  /** A warning, an error or an exception is made; the last group is the exception's class. */
  private static final Pattern MADE =
      Pattern.compile("\\bnew (\\w+(?:Exception|Error))\\(|LOG\\.(?:warn|error)\\(|\\bsuper\\(");

  /** Errors of a program and not of its use, parts of other messages, and what picocli words. */
  private static final Set<String> WITHOUT_CODE =
      Set.of(
          "AssertionError",
          "AttributeNotFoundException",
          "IllegalArgumentException",
          "IllegalStateException",
          "InterruptedIOException",
          "MalformedDocumentException",
          "NoSuchElementException",
          "ParameterException",
          "TypeConversionException");

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

  /** Java of warnings, errors and exceptions that have words and no code. */
  static List<String> withoutCode() {
    List<String> found = new ArrayList<>();
    for (String java : SourceTree.ofProduct()) {
      for (MatchResult made : MADE.matcher(java).results().toList()) {
        String call = java.substring(made.start(), end(java, made.end()));
        List<String> literals =
            SourceTree.find(LITERAL, call.replaceAll("\"\\s*\\+\\s*\"", "")).stream().toList();
        if (isOfUser(made, java)
            && literals.stream().anyMatch(CodedMessages::hasWords)
            && !CODED.matcher(call).find()) {
          found.add(call.replaceAll("\\s+", " "));
        }
      }
    }
    return found;
  }

  private static boolean isOfUser(MatchResult made, String java) {
    return made.group(1) != null
        ? !WITHOUT_CODE.contains(made.group(1))
        : !made.group().equals("super(") || java.contains("Exception extends ");
  }

  private static boolean hasWords(String literal) {
    return Pattern.compile("\\{}|%s")
        .splitAsStream(literal)
        .map(String::strip)
        .anyMatch(piece -> piece.length() >= 12 && piece.contains(" "));
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
