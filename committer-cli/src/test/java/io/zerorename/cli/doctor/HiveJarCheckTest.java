package io.zerorename.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Where doctor looks for the jar: where Hive's own command and its tasks do. */
class HiveJarCheckTest {
  @TempDir private Path directory;

  /** OURS and OTHER are jars in the directory DIR. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        // hive.aux.jars.path | HIVE_AUX_JARS_PATH | in auxlib | outcome | what is said
        "OTHER , OURS | | | WARNING | OURS is named by hive.aux.jars.path alone",
        "hdfs://nn/ours.jar,OTHER | | | NOT_CHECKED | file systems: hdfs://nn/ours.jar",
        " | OTHER:OURS | | OK | OURS",
        " | DIR | | OK | OURS",
        " | OTHER:DIR | | WARNING | no jar",
        " | | ours | OK | auxlib/ours.jar",
        "OURS | | other | WARNING | no jar",
      })
  void jarIsLookedForWhereHiveDoes(
      String property, String variable, String auxlib, Outcome outcome, String said)
      throws IOException {
    Files.writeString(directory.resolve("hive-site.xml"), "<configuration/>");
    jar("opt/ours.jar");
    jar("opt/other.jar");
    // Tasks do not get it from there.
    jar("hive/lib/ours.jar");
    if (auxlib != null) {
      Files.createDirectory(directory.resolve("hive/auxlib"));
      jar("hive/auxlib/" + auxlib + ".jar");
    }
    Configuration conf = new Configuration(false);
    if (property != null) {
      conf.set("hive.aux.jars.path", named(property));
    }
    Map<String, String> environment = new HashMap<>();
    environment.put("HIVE_HOME", directory.resolve("hive").toString());
    if (variable != null) {
      environment.put("HIVE_AUX_JARS_PATH", named(variable));
    }
    Cluster cluster = new Cluster(conf, List.of(directory), environment, Optional.empty());

    Finding finding = new Check("hive-jar", new HiveJarCheck(cluster)).find();

    assertThat(finding.outcome()).as(finding.text()).isEqualTo(outcome);
    assertThat(finding.text()).contains(named(said));
  }

  private void jar(String name) throws IOException {
    String entry =
        name.endsWith("ours.jar") ? "io/zerorename/hive/ZeroRenameHook.class" : "some/Other.class";
    Checked.jar(directory.resolve(name), entry);
  }

  private String named(String text) {
    Path opt = directory.resolve("opt");
    return text.replace("OURS", opt + "/ours.jar")
        .replace("OTHER", opt + "/other.jar")
        .replace("DIR", opt.toString());
  }
}
