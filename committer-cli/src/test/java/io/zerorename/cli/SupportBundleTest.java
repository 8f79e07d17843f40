package io.zerorename.cli;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.zerorename.cli.command.ExitCode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code zerorename support-bundle} against a real S3 server. */
class SupportBundleTest extends OnTable {
  @TempDir private Path out;

  /** Each of them contains this. */
  private static final String SECRET = "hunter2";

  @Test
  void itHasWhatHelpsAndNoSecret() throws Exception {
    Map<String, String> secrets = secrets();
    try (WrittenJob broken = new WrittenJob(bucket, "a", "b").commitWithout("b");
        WrittenJob also = new WrittenJob(bucket, "c", "d").commitLosing("d")) {
      // What the jobs have opened stays open with the right ones.
      secrets.forEach(bucket::set);
      bucket.set("zerorename.commit.threads", "7");
      bucket.set("fs.s3a.aws.credentials.provider", "org.example.Provider");
      bucket.set("org.example.unrelated", "left out");
      Path file = out.resolve("bundle.zip");
      CommandLineRun run = bucket.run("support-bundle", "--out", file.toString(), table);

      assertThat(run.exitCode()).as(run.err()).isEqualTo(ExitCode.OK.number());
      Map<String, String> parts = parts(file);
      assertThat(parts)
          .containsOnlyKeys(
              "README.txt",
              "version.txt",
              "configuration.txt",
              "doctor.txt",
              "status.txt",
              "commits.json");
      assertThat(run.out()).contains(file + " was written. It has", "commits.json", "doctor.txt");
      assertThat(parts.get("README.txt")).contains("configuration.txt", "without secrets");
      assertThat(parts.get("version.txt")).contains("zero-rename committer", "Hadoop 3.", "Java ");
      assertThat(parts.get("configuration.txt"))
          .contains("zerorename.commit.threads = 7", "fs.s3a.access.key = (redacted)")
          .contains("fs.s3a.aws.credentials.provider = org.example.Provider")
          .contains("fs.s3a.endpoint = ")
          .contains("further properties that were set are not of the committer")
          .doesNotContain("unrelated", "ConnectionPassword");
      assertThat(parts.get("doctor.txt")).contains("own-settings", "bucket", "exit code");
      assertThat(parts.get("status.txt"))
          .contains("committed, open", "damaged", "exit code " + ExitCode.FOUND.number());
      JsonNode entries = new ObjectMapper().readTree(parts.get("commits.json"));
      assertThat(entries).hasSize(2);
      assertThat(entries.findValuesAsText("job")).containsExactly(also.id(), broken.id());
      assertThat(entries.path(1).path("entry").asInt()).isOne();
      assertThat(entries.path(1).path("kind").asText()).isEqualTo("ADD");
      assertThat(entries.path(1).path("executor").asText()).startsWith("process ");
      assertThat(entries.path(1).path("scope").path(0).asText()).isEqualTo(table);
      assertThat(parts.get("commits.json")).doesNotContain("/a." + broken.id());

      assertThat(new String(Files.readAllBytes(file), ISO_8859_1)).doesNotContain(SECRET);
      parts.forEach((name, text) -> assertThat(text).as(name).doesNotContain(SECRET));
      assertThat(run.out() + run.err()).doesNotContain(SECRET);
      assertThat(secrets).hasSizeGreaterThan(12);
    }
  }

  private static Map<String, String> secrets() {
    Map<String, String> secrets = new LinkedHashMap<>();
    for (String name :
        new String[] {
          "fs.s3a.access.key",
          "fs.s3a.secret.key",
          "fs.s3a.session.token",
          "fs.s3a.bucket.other.access.key",
          "fs.s3a.bucket.other.secret.key",
          "fs.s3a.bucket.dotted.name.session.token",
          "fs.s3a.server-side-encryption.key",
          "fs.s3a.encryption.key",
          "fs.s3a.encryption.context",
          "fs.s3a.proxy.password",
          "fs.s3a.proxy.username",
          "fs.s3a.no.such.setting",
          "zerorename.no.such.setting",
          "zerorename.hive.password",
          "javax.jdo.option.ConnectionPassword",
          "hive.server2.keystore.password",
          "hadoop.security.something"
        }) {
      secrets.put(name, SECRET + "-" + name.length());
    }
    secrets.put("fs.s3a.bucket.other.endpoint", "http://user:" + SECRET + "@s3.example.org");
    secrets.put("zerorename.report.dir", "hdfs://user:" + SECRET + "@nn/${my.secret}");
    secrets.put("my.secret", SECRET + "/" + SECRET);
    secrets.put("javax.jdo.option.ConnectionURL", "jdbc:mysql://u:" + SECRET + "@db/hive");
    return secrets;
  }

  @Test
  void withoutAPathItHasSettingsAndChecksAlone() throws Exception {
    Path file = out.resolve("bundle.zip");
    CommandLineRun run = bucket.run("support-bundle", "--json", "--out", file.toString());
    assertThat(run.exitCode()).as(run.err()).isEqualTo(ExitCode.OK.number());
    assertThat(parts(file))
        .containsOnlyKeys("README.txt", "version.txt", "configuration.txt", "doctor.txt");
    assertThat(run.json().path("file").asText()).isEqualTo(file.toString());
    assertThat(run.json().path("contents")).hasSize(3);
  }

  @Test
  void aFileThatExistsAndAWrongPathAreRefused() throws Exception {
    Path file = Files.writeString(out.resolve("bundle.zip"), "mine");
    CommandLineRun exists = bucket.run("support-bundle", "--out", file.toString());
    assertThat(exists.exitCode()).isEqualTo(ExitCode.USAGE.number());
    assertThat(exists.err()).contains("ZR-9121", "exists, and is not overwritten");
    assertThat(file).hasContent("mine");
    String other = out.resolve("other.zip").toString();
    CommandLineRun wrong = bucket.run("support-bundle", "--out", other, "hdfs://nn/t");
    assertThat(wrong.exitCode()).isEqualTo(ExitCode.USAGE.number());
    assertThat(Path.of(other)).doesNotExist();
    CommandLineRun nowhere =
        bucket.run("support-bundle", "--out", out.resolve("no/such.zip").toString());
    assertThat(nowhere.exitCode()).isEqualTo(ExitCode.USAGE.number());
    assertThat(nowhere.err()).contains("ZR-9122");
  }

  private static Map<String, String> parts(Path file) throws IOException {
    Map<String, String> parts = new LinkedHashMap<>();
    try (ZipInputStream zip = new ZipInputStream(Files.newInputStream(file))) {
      for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        zip.transferTo(bytes);
        parts.put(entry.getName(), bytes.toString(UTF_8));
      }
    }
    return parts;
  }
}
