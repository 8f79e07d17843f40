package io.zerorename.hiveserver2;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The jar is compiled against Hive 4.1.0. What 4.0.1 has under another name fails only when it is
 * used, which may be in a statement that no test runs.
 */
class LinkageTest {
  @TempDir private Path home;

  @Test
  void allThatTheJarUsesOfHadoopAndHiveIsThere() throws Exception {
    Set<String> used = new TreeSet<>();
    Set<String> missing = new TreeSet<>();
    try (JarFile jar = new JarFile(Installation.in(home).jar().toFile())) {
      for (JarEntry entry : jar.stream().toList()) {
        if (entry.getName().endsWith(".class")) {
          try (InputStream file = jar.getInputStream(entry)) {
            for (MemberReference member : MemberReference.in(file)) {
              if (member.owner().startsWith("org.apache.hadoop.")) {
                used.add(member.owner());
                if (!member.exists(LinkageTest.class.getClassLoader())) {
                  missing.add(entry.getName() + " uses " + member);
                }
              }
            }
          }
        }
      }
    }
    assertThat(used)
        .contains(
            "org.apache.hadoop.hive.ql.metadata.Hive", "org.apache.hadoop.hive.conf.HiveConf");
    assertThat(missing).isEmpty();
  }
}
