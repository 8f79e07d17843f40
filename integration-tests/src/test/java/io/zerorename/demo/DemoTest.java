package io.zerorename.demo;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.zerorename.testing.s3server.EmbeddedS3Server;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The whole demo in a process of its own, as the script starts it. */
class DemoTest {
  private static final long TIMEOUT_MINUTES = 5;

  @TempDir Path directory;

  @Test
  void aFewPartitionsAreComparedAndReported() throws Exception {
    int code = run("--partitions", "3");

    assertThat(code).as(console()).isZero();

    assertThat(console())
        .contains("every check held", "zero-rename: committed INSERT OVERWRITE")
        .doesNotContain("FAILED");
    JsonNode json = new ObjectMapper().readTree(directory.resolve("report.json").toFile());
    assertThat(json.get("rowsEqual").booleanValue()).isTrue();
    assertThat(json.get("statsEqual").booleanValue()).isTrue();
    JsonNode ours = json.get("zerorename");
    assertThat(ours.get("files").intValue()).isEqualTo(3);
    assertThat(ours.get("copyRequests").intValue()).isZero();
    for (String type : List.of("CreateMultipartUpload", "UploadPart", "CompleteMultipartUpload")) {
      assertThat(ours.get("requests").get(type).intValue()).as(type).isEqualTo(3);
    }
    assertThat(json.get("stock").get("copyRequests").intValue()).isPositive();
    assertThat(json.get("stock").get("requestsTotal").intValue())
        .isGreaterThan(5 * ours.get("requestsTotal").intValue());
    assertThat(directory.resolve("report.html")).content().contains("All 12 checks held");
    assertThat(directory.resolve("demo.log")).isNotEmptyFile();
  }

  @Test
  void aBadOptionIsAnsweredBeforeAnythingStarts() throws Exception {
    assertThat(run("--scale", "-1")).isEqualTo(2);

    assertThat(console()).contains("--scale", "'-1'").hasLineCount(1);
    assertThat(directory.resolve("demo.log")).doesNotExist();
  }

  @Test
  void moreDaysThanThereAreAreRefused() throws Exception {
    assertThat(run("--partitions", "1800")).isEqualTo(1);

    assertThat(console()).contains("only 1783 days").doesNotContain("\tat ");
  }

  private int run(String... arguments) throws Exception {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "@" + Path.of("target", "demo", "java.args"),
                "-Dzerorename.demo.output=" + directory,
                "-Dzerorename.s3proxy.jar=" + System.getProperty("zerorename.s3proxy.jar"),
                "-cp",
                System.getProperty(
                    "surefire.test.class.path", System.getProperty("java.class.path")),
                Demo.class.getName()));
    command.addAll(List.of(arguments));
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve("console").toFile());
    builder.environment().putAll(EmbeddedS3Server.environment());
    Process process = builder.start();
    try {
      assertThat(process.waitFor(TIMEOUT_MINUTES, TimeUnit.MINUTES)).isTrue();
    } finally {
      process.destroyForcibly();
    }
    return process.exitValue();
  }

  private String console() throws Exception {
    return Files.readString(directory.resolve("console"), StandardCharsets.UTF_8);
  }
}
