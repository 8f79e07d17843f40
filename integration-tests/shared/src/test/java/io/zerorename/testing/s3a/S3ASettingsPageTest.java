package io.zerorename.testing.s3a;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.testing.docs.SourceTree;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The page about stores names the settings that are tested, and no others. */
class S3ASettingsPageTest {
  private static final String HEADING = "| what | settings of S3A | headers | of | since Hadoop |";

  @Test
  void thePageHasARowForEachSetting() {
    List<String> lines = SourceTree.read("docs/stores.md").lines().toList();
    assertThat(lines).contains(HEADING);
    assertThat(
            lines.subList(lines.indexOf(HEADING) + 2, lines.size()).stream()
                .takeWhile(line -> line.startsWith("|")))
        .containsExactlyElementsOf(
            S3ASettings.ALL.stream().map(S3ASetting::documentation).toList());
  }
}
