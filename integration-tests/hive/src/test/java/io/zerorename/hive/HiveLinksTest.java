package io.zerorename.hive;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.cli.ZeroRename;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hive.ql.metadata.Hive;
import org.junit.jupiter.api.Test;

/** What {@code zerorename doctor} says of the jar of a real Hive. */
class HiveLinksTest {
  @Test
  void thisHiveHasAllThatTheCommitterUsesOfIt() throws Exception {
    Path jar = Path.of(Hive.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    PrintStream stream = new PrintStream(out, true, UTF_8);
    new ZeroRename(Configuration::new, stream, stream).run("doctor", "--hive-exec", jar.toString());
    assertThat(out.toString(UTF_8)).containsPattern("(?m)^ok +hive-links +" + jar + " has all");
  }
}
