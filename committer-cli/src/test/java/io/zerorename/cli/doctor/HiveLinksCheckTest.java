package io.zerorename.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whether a Hive has what the committer uses of it; Hive itself is in integration-tests/hive. */
class HiveLinksCheckTest {
  @TempDir private Path directory;

  @Test
  void whatIsMissingIsNamed() throws IOException {
    Path jar = directory.resolve("hive-exec-9.jar");
    try (JarOutputStream content = new JarOutputStream(Files.newOutputStream(jar))) {
      content.putNextEntry(new JarEntry("org/apache/hadoop/hive/conf/HiveConf.class"));
      try (InputStream other =
          HiveLinksCheckTest.class.getResourceAsStream("HiveLinksCheckTest.class")) {
        other.transferTo(content);
      }
    }
    Finding finding = find(jar);
    assertThat(finding.outcome()).isEqualTo(Outcome.WRONG);
    assertThat(finding.text())
        .startsWith(jar + " lacks ")
        .contains("classes and members that the committer uses", ", …")
        .contains(" org/apache/hadoop/hive/common/FileUtils,")
        .contains(" org/apache/hadoop/hive/conf/HiveConf.getVar ")
        .doesNotContain(" org/apache/hadoop/hive/conf/HiveConf,");
  }

  private Finding find(Path hive) {
    Cluster cluster = new Cluster(new Configuration(), List.of(), Map.of(), Optional.of(hive));
    return new Check("hive-links", new HiveLinksCheck(cluster)).find();
  }
}
