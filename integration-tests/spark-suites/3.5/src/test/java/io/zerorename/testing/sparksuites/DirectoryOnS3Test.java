package io.zerorename.testing.sparksuites;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.testing.process.ChildJvm;
import java.io.ByteArrayInputStream;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.EtagSource;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("thorough")
final class DirectoryOnS3Test {
  @TempDir Path temporary;
  private DirectoryOnS3 directory;
  private FileSystem s3a;

  @BeforeEach
  void start() throws IOException {
    directory = DirectoryOnS3.create();
    Configuration conf = new Configuration();
    conf.addResource(new ByteArrayInputStream(directory.coreSite().getBytes(UTF_8)));
    s3a = FileSystem.newInstance(conf);
  }

  @AfterEach
  void stop() throws IOException {
    s3a.close();
    directory.close();
  }

  @Test
  void javaAndS3ASeeTheSameFilesUnderTheSamePath() throws IOException {
    Files.writeString(directory.path().resolve("of-java"), "1");
    try (FSDataOutputStream out = s3a.create(onS3("some/of-s3a"))) {
      out.writeBytes("22");
    }

    assertThat(s3a.getFileStatus(onS3("of-java")).getLen()).isEqualTo(1);
    assertThat(directory.path().resolve("some/of-s3a")).content().isEqualTo("22");
  }

  @Test
  void whatGoesWithTheLastObjectIsNotTheDirectory() throws IOException {
    s3a.create(onS3("some/of-s3a")).close();

    assertThat(s3a.delete(onS3("some"), true)).isTrue();

    assertThat(directory.path()).isEmptyDirectory();
    s3a.create(onS3("next")).close();
    assertThat(directory.path().resolve("next")).isEmptyFile();
  }

  @Test
  void theAgentSendsFilesAndDirectoriesOfJavaToS3() throws Exception {
    Path agent = SuiteRuns.agentJar(temporary);
    ChildJvm.Command command =
        ChildJvm.Command.of(MakesDirectories.class)
            .withOptions(
                List.of(
                    "-javaagent:" + agent,
                    "-D" + DirectoryOnS3Agent.DIRECTORY + "=" + directory.path(),
                    "-D" + DirectoryOnS3Agent.BUCKET + "=" + directory.bucketUri()))
            .withArguments(List.of(directory.path().toString(), temporary.toString()));
    try (ChildJvm jvm = ChildJvm.start(command, temporary.resolve("log"))) {
      jvm.awaitEnd(Duration.ofMinutes(2));

      assertThat(jvm.output())
          .containsExactly(
              directory.bucketUri() + directory.path() + "/a/b/",
              temporary.resolve("f").toFile().toURI().toString());
    }
    assertThat(s3a.getFileStatus(onS3("a/b")).isDirectory()).isTrue();
    assertThat(s3a.getFileStatus(onS3("c/d")).isDirectory()).isTrue();
    assertThat(((EtagSource) s3a.getFileStatus(onS3("a/e"))).getEtag()).isNotEmpty();
  }

  private org.apache.hadoop.fs.Path onS3(String name) {
    return new org.apache.hadoop.fs.Path(directory.path().resolve(name).toString());
  }

  /** A process that makes directories and prints URIs. */
  static final class MakesDirectories {
    private MakesDirectories() {}

    public static void main(String[] arguments) throws IOException {
      File made = new File(arguments[0], "a/b");
      if (!made.mkdirs()) {
        throw new IOException(made + " was not made");
      }
      Files.createDirectories(Path.of(arguments[0], "c", "d"));
      if (!new File(arguments[0], "a/e").createNewFile()) {
        throw new IOException("a/e was not made");
      }
      System.out.println(made.toURI());
      System.out.println(new File(arguments[1], "f").toURI());
      System.exit(0);
    }
  }
}
