package io.zerorename.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.s3a.commit.files.SuccessData;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** {@code zerorename verify}, of a job that our committer has committed. */
class VerifyCommandTest extends OnTable {
  private Path output;
  private String destination;

  @BeforeEach
  void name() {
    output = bucket.path("out");
    destination = output.toString();
  }

  @Test
  void objectsAreVerifiedUntilOneChanges() throws Exception {
    CommittedOutput.write(bucket.conf(), output, "one", "three", "fifteen");
    CommandLineRun good = bucket.run("verify", destination);
    assertThat(good.exitCode()).as(good.out() + good.err()).isEqualTo(ExitCode.OK.number());
    assertThat(good.out()).contains("3 objects are as they were written");
    assertThat(bucket.run("verify", destination + "/_SUCCESS").out()).isEqualTo(good.out());

    List<String> keys =
        bucket.contents().files("out/").stream().filter(key -> key.contains("part-")).toList();
    bucket.contents().write(keys.get(0), "two".getBytes(UTF_8));
    bucket.contents().write(keys.get(1), "longer".getBytes(UTF_8));
    bucket.contents().clear(keys.get(2));

    CommandLineRun bad = bucket.run("verify", "--json", destination);
    assertThat(bad.exitCode()).isEqualTo(ExitCode.FOUND.number());
    List<String> differences = new ArrayList<>();
    for (JsonNode difference : bad.json().path("differences")) {
      assertThat(difference.path("path").asText()).startsWith(destination + "/part-");
      differences.add(difference.path("difference").asText());
    }
    assertThat(differences).hasSize(3);
    assertThat(bad.json().path("result").asText()).startsWith("3 of 3 objects are not as written.");
    assertThat(differences.get(0))
        .as("same size")
        .isEqualTo("is another object, written by another program");
    assertThat(differences.get(1)).startsWith("has 6 bytes and not 5");
    assertThat(differences.get(2)).isEqualTo("is not there");
  }

  @Test
  void anObjectOfAnotherJobIsAnotherObject() throws Exception {
    CommittedOutput.write(bucket.conf(), output, "one");
    CommittedOutput.write(bucket.conf(), bucket.path("other"), "two");
    bucket.copy(part("other/"), part("out/"));
    CommandLineRun run = bucket.run("verify", destination);
    assertThat(run.exitCode()).isEqualTo(ExitCode.FOUND.number());
    assertThat(run.out()).contains("is another object, written by another job");
  }

  private String part(String directory) {
    return bucket.contents().files(directory).stream()
        .filter(key -> key.contains("part-"))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void whatTheReportDoesNotNameIsCounted() throws Exception {
    Configuration conf = bucket.conf();
    conf.set("zerorename.success.file.limit", "1");
    CommittedOutput.write(conf, output, "one", "three");
    CommandLineRun run = bucket.run("verify", destination);
    assertThat(run.exitCode()).isEqualTo(ExitCode.OK.number());
    assertThat(run.out()).contains("names 1 of 2 files", "zerorename.success.file.limit");
  }

  @Test
  void theReportOfARecoveredJobSaysWhyNothingIsVerified() throws Exception {
    bucket
        .contents()
        .write(
            "out/_SUCCESS",
            "{\"zerorenameJobId\": \"a\", \"metrics\": {\"files\": 2}}".getBytes(UTF_8));
    CommandLineRun run = bucket.run("verify", "--json", destination);
    assertThat(run.exitCode()).isEqualTo(ExitCode.FOUND.number());
    assertThat(run.json().path("result").asText())
        .isEqualTo(
            "Nothing was verified: the _SUCCESS names none of 2 files, and the commit log has them no"
                + " more.");
  }

  @Test
  void aFileThatIsNotOursIsNamedInOneLine() throws Exception {
    bucket.contents().write("s3a/_SUCCESS", new SuccessData().toBytes(SuccessData.serializer()));
    bucket.contents().write("empty/_SUCCESS", new byte[0]);
    refused(bucket.path("s3a").toString(), "it has no zerorenameJobId");
    refused(bucket.path("empty").toString(), "is empty, as Hadoop's own committer");
    refused(bucket.path("none").toString(), "none/_SUCCESS does not exist");
  }

  private void refused(String path, String reason) {
    CommandLineRun run = bucket.run("verify", path);
    assertThat(run.errorLines()).as(path).hasSize(1);
    assertThat(run.err()).contains(reason);
    assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE.number());
  }
}
