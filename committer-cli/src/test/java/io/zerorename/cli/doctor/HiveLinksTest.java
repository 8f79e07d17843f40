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
class HiveLinksTest {
  @TempDir private Path directory;

  @Test
  void aClassFileSaysWhatItsClassHasAndUses() throws IOException {
    try (InputStream in = HiveLinksTest.class.getResourceAsStream("HiveLinksTest.class")) {
      ClassFile read = ClassFile.read(in);
      assertThat(read.above()).containsExactly("java/lang/Object");
      assertThat(read.members())
          .contains(
              "directory Ljava/nio/file/Path;",
              "find (Ljava/nio/file/Path;)Lio/zerorename/cli/doctor/Finding;");
      assertThat(read.classes()).contains("java/util/jar/JarEntry");
      assertThat(read.uses())
          .contains(
              new ClassFile.Use(
                  "io/zerorename/cli/doctor/ClassFile",
                  "read (Ljava/io/InputStream;)Lio/zerorename/cli/doctor/ClassFile;"));
    }
  }

  @Test
  void whatIsMissingIsNamed() throws IOException {
    Path jar = directory.resolve("hive-exec-9.jar");
    try (JarOutputStream content = new JarOutputStream(Files.newOutputStream(jar))) {
      content.putNextEntry(new JarEntry("org/apache/hadoop/hive/conf/HiveConf.class"));
      try (InputStream other = HiveLinksTest.class.getResourceAsStream("HiveLinksTest.class")) {
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
    return new Check("hive-links", new HiveLinks(cluster)).find();
  }

  @Test
  void aHiveThatIsNotThereIsNotChecked() {
    Cluster cluster = new Cluster(new Configuration(), List.of(), Map.of(), Optional.empty());
    assertThat(new Check("hive-links", new HiveLinks(cluster)).find().text())
        .contains("--hive-exec");
  }
}
