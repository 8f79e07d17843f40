package io.zerorename.cli.doctor;

import static io.zerorename.cli.doctor.Checked.assertOk;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where doctor looks for the jar: where Hive's own command and its tasks do. */
class HiveJarCheckTest {
  private static final String VARIABLE = "HIVE_AUX_JARS_PATH";

  @TempDir private Path directory;
  private final Configuration conf = new Configuration(false);
  private final Map<String, String> environment = new HashMap<>();
  private Path home;
  private Path committer;
  private Path other;

  @BeforeEach
  void install() throws IOException {
    Files.writeString(directory.resolve("hive-site.xml"), "<configuration/>");
    home = Files.createDirectory(directory.resolve("hive"));
    environment.put("HIVE_HOME", home.toString());
    committer = jar("opt/committer.jar", "io/zerorename/hive/ZeroRenameHook.class");
    other = jar("opt/other.jar", "some/Other.class");
  }

  @Test
  void jarsOfThePropertyAreLoadedBySessions() {
    named(other.toUri().toString());
    Finding without = find();
    assertThat(without.outcome()).isEqualTo(Outcome.WARNING);
    assertThat(without.text()).contains("no jar on this machine that tasks get");

    for (String jars :
        List.of(other.toUri() + "," + committer.toUri(), other + " , " + committer)) {
      named(jars);
      Finding alone = find();
      assertThat(alone.outcome()).isEqualTo(Outcome.WARNING);
      assertThat(alone.text()).contains(committer + " is named by hive.aux.jars.path alone");
    }
  }

  @Test
  void propertyTakesNoDirectories() {
    named(other + "," + committer.getParent());
    Finding finding = find();
    assertThat(finding.outcome()).isEqualTo(Outcome.WARNING);
    assertThat(finding.text()).contains("not directories");
  }

  @Test
  void variableNamesJarsOrOneDirectory() {
    for (String value :
        List.of(other + ":" + committer, other + "," + committer, committer.getParent() + "")) {
      environment.put(VARIABLE, value);
      assertOk(find());
    }
    environment.put(VARIABLE, other + ":" + committer.getParent());
    Finding among = find();
    assertThat(among.outcome()).isEqualTo(Outcome.WARNING);
  }

  @Test
  void auxlibIsADirectoryOfJars() throws IOException {
    jar("hive/auxlib/committer.jar", "io/zerorename/hive/ZeroRenameHook.class");
    assertOk(find());
  }

  @Test
  void propertyDoesNotCountWhereTheCommandOverridesIt() throws IOException {
    named(committer.toString());
    environment.put(VARIABLE, other.toString());
    Finding byVariable = find();
    assertThat(byVariable.outcome()).isEqualTo(Outcome.WARNING);

    environment.remove(VARIABLE);
    Files.createDirectory(home.resolve("auxlib"));
    assertThat(find().text()).contains("alone");
    jar("hive/auxlib/other.jar", "some/Other.class");
    assertThat(find()).isEqualTo(byVariable);
  }

  @Test
  void tasksDoNotGetHivesLib() throws IOException {
    jar("hive/lib/committer.jar", "io/zerorename/hive/ZeroRenameHook.class");
    assertThat(find().outcome()).isEqualTo(Outcome.WARNING);
  }

  @Test
  void otherFileSystemsAreNotLookedInto() {
    named("hdfs://nn/committer.jar," + other);
    Finding finding = find();
    assertThat(finding.outcome()).isEqualTo(Outcome.NOT_CHECKED);
    assertThat(finding.text()).contains("hdfs://nn/committer.jar").doesNotContain(other.toString());
  }

  private void named(String jars) {
    conf.set("hive.aux.jars.path", jars);
  }

  private Finding find() {
    return new Check(
            "hive-jar",
            new HiveJarCheck(new Cluster(conf, List.of(directory), environment, Optional.empty())))
        .find();
  }

  private Path jar(String name, String entry) throws IOException {
    Path jar = directory.resolve(name);
    Files.createDirectories(jar.getParent());
    try (OutputStream out = Files.newOutputStream(jar);
        JarOutputStream content = new JarOutputStream(out)) {
      content.putNextEntry(new JarEntry(entry));
    }
    return jar;
  }
}
