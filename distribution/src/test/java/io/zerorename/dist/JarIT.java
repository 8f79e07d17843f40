package io.zerorename.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The one jar holds the committer, and nothing that a cluster has already. */
class JarIT {
  private static JarFile jar;

  @BeforeAll
  static void open() throws IOException {
    jar = new JarFile(Artifacts.jar().toFile());
  }

  @AfterAll
  static void close() throws IOException {
    jar.close();
  }

  @Test
  void holdsClassesOfOursAndBesidesThemLicenceServicesAndMavensDescriptions() throws IOException {
    assertThat(files())
        .filteredOn(name -> !name.matches("(META-INF/maven/)?io[./]zerorename/.*"))
        .containsExactlyInAnyOrder(
            "META-INF/MANIFEST.MF",
            "META-INF/LICENSE",
            "META-INF/NOTICE",
            "META-INF/services/org.apache.hadoop.fs.FileSystem");
    assertThat(text("META-INF/services/org.apache.hadoop.fs.FileSystem").lines())
        .containsExactly("io.zerorename.magic.fs.PendingFileSystem");
  }

  @Test
  void everyClassOfTheModulesIsInIt() throws IOException {
    for (Path module : Artifacts.modules()) {
      try (JarFile part = new JarFile(module.toFile())) {
        assertThat(files())
            .as(module.toString())
            .containsAll(
                part.stream()
                    .map(JarEntry::getName)
                    .filter(name -> name.startsWith("io/") && !name.endsWith("/"))
                    .toList());
      }
    }
  }

  @Test
  void versionIsInTheManifestAndInTheFileThatTheLogLineReads() throws IOException {
    Attributes manifest = jar.getManifest().getMainAttributes();
    assertThat(manifest.getValue(Attributes.Name.IMPLEMENTATION_TITLE))
        .isEqualTo("zero-rename committer");
    assertThat(manifest.getValue(Attributes.Name.IMPLEMENTATION_VERSION))
        .isEqualTo(Artifacts.VERSION);
    assertThat(text("io/zerorename/core/config/version.properties").strip())
        .isEqualTo("version=" + Artifacts.VERSION);
  }

  private static List<String> files() {
    return jar.stream().filter(entry -> !entry.isDirectory()).map(ZipEntry::getName).toList();
  }

  private static String text(String name) throws IOException {
    try (InputStream file = jar.getInputStream(jar.getEntry(name))) {
      return new String(file.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
