package io.zerorename.core.commit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

class CommitStageTest {
  @Test
  void documentationNamesTheStagesInTheirOrder() throws IOException {
    List<String> stages =
        Arrays.stream(CommitStage.values())
            .map(it -> it.name().toLowerCase(Locale.ROOT).replace('_', ' '))
            .toList();
    List<String> rows =
        Files.readAllLines(Path.of("../docs/how-it-works.md")).stream()
            .filter(line -> line.startsWith("| "))
            .map(line -> line.substring(2).replace("*", "").replace(" the ", " "))
            .map(line -> line.split("[:|]", 2)[0].strip())
            .toList();
    assertThat(rows.stream().filter(stages::contains)).containsExactlyElementsOf(stages);
  }
}
