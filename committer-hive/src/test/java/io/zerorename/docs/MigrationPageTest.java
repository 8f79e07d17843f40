package io.zerorename.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.testing.docs.Page;
import io.zerorename.testing.docs.SourceTree;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The page has the versions of formats that this release reads. */
class MigrationPageTest {
  private static final Page PAGE = Page.of(SourceTree.root().resolve("docs/migration.md"));

  @ParameterizedTest
  @CsvSource({
    "instructions for the tasks of an INSERT, hive/write/OutputSpec.java",
    "task manifest, core/document/TaskManifest.java",
    "record of a job, magic/job/SetupRecord.java",
    "entry of the commit log, core/log/LogEntry.java",
    "chunk of a plan, core/log/PlanChunk.java",
    "marker of an entry's end, core/log/EndNote.java"
  })
  void versionIsThatOfTheCode(String document, String file) {
    String java = SourceTree.ofClass(file);
    List<String> version = SourceTree.find("int VERSION = (\\d+);", java);
    if (version.isEmpty()) {
      version = SourceTree.find("\"" + document + "\",\\s+(\\d+),", java);
    }
    assertThat(version).hasSize(1);
    assertThat(PAGE.rows())
        .filteredOn(row -> row.get(0).equals(document))
        .extracting(row -> row.get(2))
        .isEqualTo(version);
  }
}
