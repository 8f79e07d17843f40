package io.zerorename.testing.localfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.FileNotFoundException;
import java.net.URI;
import java.nio.file.Files;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.local.LocalFs;
import org.apache.hadoop.fs.permission.FsPermission;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What Hadoop's own local file system answers, with its processes. */
class UnforkedLocalFileSystemTest {
  private static final URI LOCAL = URI.create("file:///");

  private final Configuration conf = new Configuration();
  private final Configuration stockConf = new Configuration(false);
  private Path file;

  @TempDir private java.nio.file.Path directory;

  @BeforeEach
  void createFile() throws Exception {
    stockConf.set("fs.file.impl", LocalFileSystem.class.getName());
    file = new Path(Files.createFile(directory.resolve("file")).toUri());
  }

  private static void assertSame(FileStatus actual, FileStatus expected) {
    assertThat(actual)
        .isEqualTo(expected)
        .usingRecursiveComparison()
        .comparingOnlyFields("length", "isdir", "modification_time", "access_time")
        .isEqualTo(expected);
    assertThat(actual.getPermission()).isEqualTo(expected.getPermission());
    assertThat(actual.getOwner()).isEqualTo(expected.getOwner());
    assertThat(actual.getGroup()).isEqualTo(expected.getGroup());
  }

  @ParameterizedTest
  @ValueSource(strings = {"644", "700", "500", "777", "1777"})
  void permissionsAreThoseThatHadoopSees(String mode) throws Exception {
    try (FileSystem local = FileSystem.newInstance(LOCAL, conf);
        FileSystem stock = FileSystem.newInstance(LOCAL, stockConf)) {
      assertThat(local).isInstanceOf(UnforkedLocalFileSystem.class);
      assertThat(stock).isExactlyInstanceOf(LocalFileSystem.class);

      local.setPermission(file, new FsPermission(mode));

      assertThat(local.getFileStatus(file).getPermission()).isEqualTo(new FsPermission(mode));
      assertSame(local.getFileStatus(file), stock.getFileStatus(file));
      assertSame(local.listStatus(file.getParent())[0], stock.listStatus(file.getParent())[0]);
    }
  }

  @Test
  void fileContextSeesLinksAsHadoopDoes() throws Exception {
    Path link =
        new Path(
            Files.createSymbolicLink(directory.resolve("link"), directory.resolve("file")).toUri());
    FileContext local = FileContext.getFileContext(LOCAL, conf);
    stockConf.set("fs.AbstractFileSystem.file.impl", LocalFs.class.getName());
    FileContext stock = FileContext.getFileContext(LOCAL, stockConf);

    assertThat(local.getDefaultFileSystem()).isInstanceOf(UnforkedLocalFs.class);
    for (Path path : List.of(link, file)) {
      assertSame(local.getFileLinkStatus(path), stock.getFileLinkStatus(path));
      assertThat(local.getFileLinkStatus(path).isSymlink())
          .isEqualTo(stock.getFileLinkStatus(path).isSymlink());
    }
  }

  @Test
  void missingFilesAreMissing() throws Exception {
    Path missing = new Path(file.getParent(), "missing");
    try (FileSystem local = FileSystem.newInstance(LOCAL, conf)) {
      assertThatThrownBy(() -> local.getFileStatus(missing))
          .isInstanceOf(FileNotFoundException.class)
          .hasMessageContaining("missing");
      assertThatThrownBy(() -> local.setPermission(missing, new FsPermission("600")))
          .isInstanceOf(FileNotFoundException.class)
          .hasMessageContaining("missing");
    }
  }
}
