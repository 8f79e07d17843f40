package io.zerorename.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The style sheet of all pages: each text can be read on what is behind it. */
class StyleTest {
  private static final double LEAST = 4.5;
  private static final List<String> TEXTS = List.of("text", "soft", "accent", "good", "bad");
  private static final List<String> GROUNDS = List.of("page", "card", "code");

  /** That are no colours of bars. */
  private static final List<String> OTHERS = List.of("line", "inside");

  private final List<Map<String, String>> schemes = new ArrayList<>();
  private String style;

  @BeforeEach
  void read() throws Exception {
    try (InputStream in = Reports.class.getResourceAsStream("style.css")) {
      style = new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
    Matcher roots = Pattern.compile(":root \\{(.*?)\\}", Pattern.DOTALL).matcher(style);
    while (roots.find()) {
      Map<String, String> colors = new HashMap<>();
      Matcher color = Pattern.compile("--([a-z-]+): (#[0-9a-f]{6});").matcher(roots.group(1));
      while (color.find()) {
        colors.put(color.group(1), color.group(2));
      }
      schemes.add(colors);
    }
  }

  @Test
  void bothSchemesHaveEachColor() {
    assertThat(schemes).hasSize(2);
    assertThat(schemes.get(0).keySet()).isEqualTo(schemes.get(1).keySet());
    assertThat(schemes.get(0)).containsKeys("good", "page", "inside", "plain", "phase-commit");
  }

  @Test
  void textsStandOut() {
    for (Map<String, String> colors : schemes) {
      for (String text : TEXTS) {
        for (String ground : GROUNDS) {
          assertStandsOut(colors, text, ground);
        }
      }
    }
  }

  @Test
  void numbersInBarsStandOutAndBarsToo() {
    for (Map<String, String> colors : schemes) {
      for (String color : colors.keySet()) {
        if (!TEXTS.contains(color) && !GROUNDS.contains(color) && !OTHERS.contains(color)) {
          assertStandsOut(colors, "inside", color);
          assertStandsOut(colors, color, "card");
        }
      }
    }
  }

  /** What is behind an element is known here only by name: no text has another color. */
  @Test
  void noRuleHasAColorOfItsOwn() {
    String rules = style.substring(style.indexOf("* {"));
    assertThat(rules).doesNotContainPattern("#[0-9a-f]{3}").doesNotContain("rgb", "opacity");
    Matcher texts = Pattern.compile("[{; ](?:color|fill): var\\(--([a-z-]+)\\)").matcher(rules);
    while (texts.find()) {
      assertThat(texts.group(1)).isIn("text", "soft", "accent", "good", "bad", "inside", "card");
    }
  }

  private static void assertStandsOut(Map<String, String> colors, String text, String ground) {
    double one = luminance(colors.get(text)) + 0.05;
    double other = luminance(colors.get(ground)) + 0.05;
    assertThat(Math.max(one, other) / Math.min(one, other))
        .as("contrast of " + text + " on " + ground + " in " + colors)
        .isGreaterThanOrEqualTo(LEAST);
  }

  /** As WCAG defines it. */
  private static double luminance(String color) {
    double luminance = 0;
    double[] weights = {0.2126, 0.7152, 0.0722};
    for (int i = 0; i < 3; i++) {
      double value = Integer.parseInt(color.substring(1 + 2 * i, 3 + 2 * i), 16) / 255.0;
      luminance +=
          weights[i] * (value <= 0.03928 ? value / 12.92 : Math.pow((value + 0.055) / 1.055, 2.4));
    }
    return luminance;
  }
}
