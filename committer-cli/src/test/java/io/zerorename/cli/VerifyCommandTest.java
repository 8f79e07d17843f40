package io.zerorename.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.zerorename.cli.command.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.s3a.commit.files.SuccessData;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code zerorename verify}, of a job that our committer has committed. */
class VerifyCommandTest {
  @TempDir private Path directory;
  private S3Bucket bucket;
  private org.apache.hadoop.fs.Path output;
  private String destination;

  @BeforeEach
  void start() throws IOException {
    bucket = S3Bucket.in(directory);
    output = bucket.path("out");
    destination = output.toString();
  }

  @AfterEach
  void stop() throws IOException {
    bucket.close();
  }

  @Test
  void whatAJobLeavesIsReadByS3AToo() throws Exception {
    CommittedOutput.write(bucket.conf(), output, "one", "three");
    assertThat(bucket.run("verify", destination + "/_SUCCESS").exitCode())
        .isEqualTo(ExitCode.OK.number());
    byte[] success = bucket.contents().read("out/_SUCCESS");
    assertThat(SuccessData.serializer().fromBytes(success).getFilenames()).hasSize(2);
  }

  @Test
  void objectsAreVerifiedUntilOneChanges() throws Exception {
    CommittedOutput.write(bucket.conf(), output, "one", "three", "fifteen");
    CommandLineRun good = bucket.run("verify", destination);
    assertThat(good.exitCode()).as(good.out() + good.err()).isEqualTo(ExitCode.OK.number());
    assertThat(good.out()).contains("3 objects are as they were written");

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
    assertThat(bad.json().path("reason").asText()).startsWith("3 of 3 objects are not as written.");
    assertThat(differences.get(0))
        .as("same size")
        .isEqualTo("is another object, written by another program");
    assertThat(differences.get(1)).startsWith("has 6 bytes and not 5");
    assertThat(differences.get(2)).isEqualTo("is not there");
  }

  /** A dynamic overwrite leaves no report, and an open commit has none yet. */
  @Test
  void aLaterJobWithoutAReportIsNamed() throws Exception {
    CommittedOutput.write(bucket.conf(), output, "one");
    String id =
        new ObjectMapper()
            .readTree(bucket.contents().read("out/_SUCCESS"))
            .path("zerorenameJobId")
            .asText();
    try (WrittenJob later = WrittenJob.to("out", bucket, "a").commitWithout("a")) {
      assertThat(bucket.run("verify", destination).out().lines())
          .containsExactly(
              "The report is of job "
                  + id
                  + ". A later job has none: entry 2, INSERT INTO db.t, committed, open.",
              "1 object is as it was written.");
      assertThat(bucket.run("verify", "--json", destination).json().path("later").asText())
          .isEqualTo(later.id());
    }
  }

  @Test
  void whatTheReportDoesNotNameIsCounted() throws Exception {
    Configuration conf = bucket.conf();
    conf.set("zerorename.success.file.limit", "1");
    CommittedOutput.write(conf, output, "one", "three");
    CommandLineRun run = bucket.run("verify", destination);
    assertThat(run.exitCode()).isEqualTo(ExitCode.OK.number());
    assertThat(run.out()).contains("names 1 of 2 files", "zerorename.success.file.limit");
    CommandLineRun all = bucket.run("verify", "--json", "--all-named", destination);
    assertThat(all.exitCode()).isEqualTo(ExitCode.FOUND.number());
    assertThat(all.json().path("reason").asText()).contains("names 1 of 2 files");
  }

  @Test
  void theReportOfARecoveredJobSaysWhyNothingIsVerified() throws Exception {
    bucket
        .contents()
        .write(
            "out/_SUCCESS",
            ("{\"name\": \"org.apache.hadoop.fs.s3a.commit.files.SuccessData/1\", \"success\": true,"
                    + " \"metrics\": {\"files\": 2}, \"diagnostics\": {\"recovered\": \"so it is\"}}")
                .getBytes(UTF_8));
    CommandLineRun run = bucket.run("verify", "--json", destination);
    assertThat(run.exitCode()).isEqualTo(ExitCode.FOUND.number());
    assertThat(run.json().path("reason").asText())
        .contains("Nothing was verified", "completed by another process", "2 files");
    assertThat(bucket.run("verify", destination).out())
        .contains(run.json().path("reason").asText().substring(0, 40));
  }

  @Test
  void aJobWithoutFilesIsAsItWasWritten() throws Exception {
    CommittedOutput.write(bucket.conf(), output);
    assertThat(bucket.run("verify", "--all-named", destination).exitCode())
        .isEqualTo(ExitCode.OK.number());
  }

  @Test
  void whereNothingIsVerifiedItIsNoSuccess() throws Exception {
    Configuration unnamed = bucket.conf();
    unnamed.set("zerorename.success.file.limit", "0");
    CommittedOutput.write(unnamed, output, "one");
    // Beside the log this names the file.
    assertThat(bucket.run("verify", destination).out())
        .isEqualTo("1 object is as it was written.\n");
    Path copy = directory.resolve("report.json");
    Files.write(copy, bucket.contents().read("out/_SUCCESS"));
    CommandLineRun run = bucket.run("verify", copy.toUri().toString());
    assertThat(run.exitCode()).isEqualTo(ExitCode.FOUND.number());
    assertThat(run.out()).contains("Nothing was verified");
  }

  @Test
  void howManyFilesThereWereIsNotKnownFromS3AsReports() throws Exception {
    bucket.contents().write("s3a/part-0", "x".getBytes(UTF_8));
    SuccessData data = new SuccessData();
    data.setCommitter("magic");
    data.setSuccess(true);
    data.getFilenames().add("/s3a/part-0");
    bucket.contents().write("s3a/_SUCCESS", data.toBytes(SuccessData.serializer()));
    String report = bucket.path("s3a").toString();
    assertThat(bucket.run("verify", report).exitCode()).isEqualTo(ExitCode.OK.number());
    assertThat(bucket.run("verify", "--all-named", report).exitCode())
        .isEqualTo(ExitCode.FOUND.number());
  }

  @Test
  void aReportOfS3AsNamesKeysOnly() throws Exception {
    bucket.contents().write("s3a/part-0", "x".getBytes(UTF_8));
    SuccessData data = new SuccessData();
    data.setCommitter("magic");
    data.setSuccess(true);
    data.getFilenames().add("/s3a/part-0");
    data.getFilenames().add("/s3a/part-1");
    bucket.contents().write("s3a/_SUCCESS", data.toBytes(SuccessData.serializer()));
    CommandLineRun run = bucket.run("verify", bucket.path("s3a").toString());
    assertThat(run.exitCode()).as(run.err()).isEqualTo(ExitCode.FOUND.number());
    assertThat(run.out()).contains(bucket.path("s3a/part-1") + " is not there", "1 of 2 objects");
  }

  @Test
  void aFileThatIsNoReportIsNamedInOneLine() throws Exception {
    bucket.contents().write("empty/_SUCCESS", new byte[0]);
    bucket.contents().write("text", "PAR1".getBytes(UTF_8));
    bucket.contents().write("binary", new byte[] {0, 0, 0, 1, 127, 0, 0, 0, 127, 0, 0, 0});
    bucket.contents().write("broken", "{\"name\": ".getBytes(UTF_8));
    bucket.contents().write("other", "{\"name\": \"invoice\"}".getBytes(UTF_8));
    refused(bucket.path("empty").toString(), "is empty, as Hadoop's own committer");
    refused(bucket.path("text").toString(), "is no report of a job: it is not JSON");
    refused(bucket.path("binary").toString(), "is no report of a job: it is not JSON");
    refused(bucket.path("broken").toString(), "is no report of a job: it is not JSON");
    refused(bucket.path("other").toString(), "its name is 'invoice'");
    refused(bucket.path("none").toString(), "There is no report at");
    refused(directory.resolve("none.json").toString(), "There is no report at");
    refused("gopher://host/file", "is on a file system that is unknown here");
  }

  @Test
  void aReportThatLiesOnAnotherFileSystemNamesItsObjectsInFull() throws Exception {
    CommittedOutput.write(bucket.conf(), output, "one");
    Path copy = directory.resolve("copy.json");
    Files.write(copy, bucket.contents().read("out/_SUCCESS"));
    CommandLineRun run = bucket.run("verify", copy.toString());
    assertThat(run.exitCode()).as(run.err()).isEqualTo(ExitCode.OK.number());
    assertThat(run.out()).contains("1 object is as it was written.");
  }

  private void refused(String path, String reason) {
    CommandLineRun run = bucket.run("verify", path);
    assertThat(run.errorLines()).as(path).hasSize(1);
    assertThat(run.err()).contains(reason);
    assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE.number());
  }
}
