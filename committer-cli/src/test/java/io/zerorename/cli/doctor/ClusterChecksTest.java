package io.zerorename.cli.doctor;

import static io.zerorename.cli.doctor.Checked.assertOk;
import static io.zerorename.cli.doctor.Checked.remedies;
import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.testing.docs.SourceTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What doctor says of a cluster's files, without a bucket. */
class ClusterChecksTest {
  private static final Path EXAMPLES = SourceTree.root().resolve("conf-examples");

  @TempDir private Path directory;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "hadoop-version",
        "aws-sdk-version",
        "hive-hooks",
        "hive-switch",
        "hive-engine",
        "hive-conditional-tasks",
        "hive-replication",
        "hive-trash",
        "hive-scratch",
        "mapreduce-committer",
        "tez-committer",
        "own-settings",
        "multipart-uploads",
        "upload-purge",
        "encryption"
      })
  void clusterWithTheExamplesIsInOrder(String check) {
    assertOk(find(EXAMPLES, check));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        // check | property | value | outcome | remedy
        "hive-hooks | hive.query.lifetime.hooks | a.B | WRONG"
            + " | hive.query.lifetime.hooks=a.B,io.zerorename.hive.ZeroRenameHook",
        "hive-hooks | hive.semantic.analyzer.hook | a.B | WRONG"
            + " | hive.semantic.analyzer.hook=a.B,io.zerorename.hive.ZeroRenameHook",
        "hive-switch | zerorename.hive.enabled | false | WARNING | zerorename.hive.enabled=true",
        "hive-switch | zerorename.bucket.b.hive.enabled | false | WARNING"
            + " | zerorename.bucket.b.hive.enabled=true",
        "hive-engine | hive.execution.engine | spark | WRONG | hive.execution.engine=tez",
        "hive-engine | hive.execution.mode | llap | WRONG | zerorename.hive.llap=commit",
        "hive-conditional-tasks | hive.merge.tezfiles | true | WRONG | hive.merge.tezfiles=false",
        "hive-conditional-tasks | hive.execution.engine | mr | WARNING | hive.merge.mapfiles=false",
        "hive-replication | hive.repl.cm.enabled | true | WARNING | hive.repl.cm.enabled=false",
        "hive-trash | fs.trash.interval | 0.5 | WARNING | zerorename.hive.trash=delete",
        "hive-scratch | hive.exec.scratchdir | s3a://b/tmp | WRONG | zerorename.work.dir=hdfs:",
        "hive-scratch | zerorename.work.dir | s3a://b/tmp | WRONG | zerorename.work.dir=hdfs:",
        "hive-scratch | hive.exec.scratchdir | file:///tmp/hive | WARNING"
            + " | zerorename.work.dir=hdfs:",
        "own-settings | zerorename.bucket.b.commit.threads | -3 | WRONG"
            + " | zerorename.bucket.b.commit.threads=<threads>",
        "own-settings | zerorename.commit.threads | -3 | WRONG | zerorename.commit.threads=<threads>",
        "multipart-uploads | fs.s3a.multipart.uploads.enabled | false | WRONG"
            + " | fs.s3a.multipart.uploads.enabled=true",
        "multipart-uploads | fs.s3a.bucket.b.multipart.uploads.enabled | false | WRONG"
            + " | fs.s3a.bucket.b.multipart.uploads.enabled=true",
        "upload-purge | fs.s3a.multipart.purge | true | WRONG | fs.s3a.multipart.purge=false",
        "upload-purge | fs.s3a.committer.name | magic | WARNING"
            + " | fs.s3a.committer.abort.pending.uploads=false",
        "upload-purge | fs.s3a.directory.operations.purge.uploads | true | WRONG"
            + " | fs.s3a.directory.operations.purge.uploads=false",
        "encryption | fs.s3a.encryption.algorithm | CSE-KMS | WRONG"
            + " | fs.s3a.encryption.algorithm=SSE-KMS",
      })
  void settingThatIsInTheWayIsNamedWithItsValue(
      String check, String property, String value, Outcome outcome, String remedy)
      throws IOException {
    Finding finding = find(examplesWith("hive-site.xml", property, value), check);
    assertThat(finding.outcome()).as(finding.text()).isEqualTo(outcome);
    assertThat(remedies(finding)).singleElement().asString().startsWith("set " + remedy);
  }

  @ParameterizedTest
  @CsvSource({"mapreduce-committer,mapred-site.xml", "tez-committer,tez-site.xml"})
  void jobsOfOneApiOnlyAreNotEnough(String check, String file) throws IOException {
    Path examples = examplesWith(file, "mapred.output.committer.class", "a.B");
    Finding finding = find(examples, check);
    assertThat(finding.outcome()).isEqualTo(Outcome.WRONG);
    assertThat(remedies(finding))
        .containsExactly(
            "set mapred.output.committer.class=io.zerorename.magic.mapred.MagicOutputCommitter in "
                + file);

    Files.writeString(directory.resolve(file), "<configuration/>");
    assertThat(find(directory, check).outcome()).isEqualTo(Outcome.NOT_CHECKED);
  }

  @Test
  void daemonsOfLlapAreNotAskedForTheJarThatTheyAreSaidToHave() throws IOException {
    Path files = examplesWith("hive-site.xml", "hive.execution.mode", "llap");
    Path changed = files.resolve("hive-site.xml");
    Files.writeString(
        changed,
        Files.readString(changed)
            .replace(
                "</configuration>",
                "<property><name>zerorename.hive.llap</name><value>commit</value></property>"
                    + "</configuration>"));

    Finding finding = find(files, "hive-engine");

    assertThat(finding.outcome()).isEqualTo(Outcome.WARNING);
    assertThat(finding.text()).contains("INSERTs fail unless each daemon has the committer's jar");
  }

  @Test
  void keyThatNobodyListensToIsNamed() throws IOException {
    Finding finding =
        find(examplesWith("core-site.xml", "zerorename.comit.dir", "s3a://b/c"), "own-settings");
    assertThat(finding.outcome()).isEqualTo(Outcome.WARNING);
    assertThat(finding.text()).contains("zerorename.comit.dir");
  }

  @ParameterizedTest
  @ValueSource(strings = {"hive-hooks", "hive-jar", "mapreduce-committer", "tez-committer"})
  void whatIsNotInstalledIsNotChecked(String check) {
    assertThat(find(directory, check).outcome()).isEqualTo(Outcome.NOT_CHECKED);
  }

  @ParameterizedTest
  @CsvSource({
    "HADOOP, 3.5.0, OK",
    "HADOOP, 3.4.2, WARNING",
    "HADOOP, 4.0.0, WARNING",
    "HADOOP, 3.3.6, WRONG",
    "HIVE, 4.0.1, OK",
    "HIVE, 4.1.0, OK",
    "HIVE, 4.2.0, OK",
    "HIVE, 4.2.0-SNAPSHOT, WARNING",
    "HIVE, 3.1.3, WARNING",
    "AWS_SDK, 2.35.4, OK",
    "AWS_SDK, 2.30.0, WARNING",
    "AWS_SDK, 1.12.5, WRONG",
    "HADOOP, trunk, NOT_CHECKED"
  })
  void versionIsComparedWithThoseOfTheTests(
      VersionChecks.Platform platform, String version, Outcome outcome) {
    assertThat(platform.judge(version).outcome()).isEqualTo(outcome);
  }

  @Test
  void hiveThatIsAbsentHasNoVersion() {
    assertThat(find(EXAMPLES, "hive-version").outcome()).isEqualTo(Outcome.NOT_CHECKED);
  }

  @Test
  void hiveIsFoundByItsHome() throws IOException {
    Path lib = Files.createDirectories(directory.resolve("hive/lib"));
    Map<String, String> environment = Map.of("HIVE_HOME", directory.resolve("hive").toString());
    VersionChecks checks =
        new VersionChecks(
            new Cluster(new Configuration(), List.of(), environment, Optional.empty()));
    assertThat(hiveVersion(checks))
        .isEqualTo(Finding.notChecked("there is no hive-exec-*.jar in " + lib));

    Files.createFile(lib.resolve("hive-exec-4.2.0.jar"));
    assertThat(hiveVersion(checks)).isEqualTo(Finding.ok("Hive 4.2.0"));
  }

  private static Finding hiveVersion(VersionChecks checks) {
    return checks.all().stream()
        .filter(check -> check.name().equals("hive-version"))
        .findFirst()
        .orElseThrow()
        .find();
  }

  /** The versions of the modules that test Hive. */
  @Test
  void theTestedVersionsOfHiveAreThoseOfTheBuild() {
    for (String pom :
        List.of(
            "pom.xml",
            "integration-tests/hive-4.2/pom.xml",
            "integration-tests/hiveserver2/pom.xml")) {
      String version =
          SourceTree.find("<hive.version>([^<]+)<", SourceTree.read(pom)).iterator().next();
      assertThat(VersionChecks.Platform.HIVE.judge(version))
          .as(pom)
          .isEqualTo(Finding.ok("Hive " + version));
    }
  }

  @Test
  void trashThatTheCommitterMayDeleteIsInOrder() throws IOException {
    Path files = examplesWith("hive-site.xml", "fs.trash.interval", "60");
    Path changed = files.resolve("hive-site.xml");
    Files.writeString(
        changed,
        Files.readString(changed)
            .replace(
                "</configuration>",
                "<property><name>zerorename.hive.trash</name><value>delete</value></property>"
                    + "</configuration>"));
    assertOk(find(files, "hive-trash"));
  }

  /** The examples, with one property more in one file. */
  private Path examplesWith(String file, String property, String value) throws IOException {
    try (Stream<Path> examples = Files.list(EXAMPLES)) {
      for (Path example : examples.filter(Files::isRegularFile).toList()) {
        Files.copy(example, directory.resolve(example.getFileName()));
      }
    }
    Path changed = directory.resolve(file);
    Files.writeString(
        changed,
        Files.readString(changed)
            .replace(
                "</configuration>",
                "<property><name>"
                    + property
                    + "</name><value>"
                    + value
                    + "</value></property></configuration>"));
    return directory;
  }

  private static Finding find(Path files, String check) {
    Configuration conf = new Configuration();
    // The default is this machine's own disk, which no cluster has.
    conf.set("fs.defaultFS", "viewfs://cluster/");
    conf.set("fs.viewfs.mounttable.cluster.link./tmp", "file:///tmp");
    for (String name :
        List.of("core-site.xml", "mapred-site.xml", "tez-site.xml", "hive-site.xml")) {
      Path file = files.resolve(name);
      if (Files.exists(file)) {
        conf.addResource(new org.apache.hadoop.fs.Path(file.toUri()));
      }
    }
    return new Cluster(conf, List.of(files), Map.of(), Optional.empty())
        .checks(Optional.of("b")).stream()
            .filter(it -> it.name().equals(check))
            .findFirst()
            .orElseThrow()
            .find();
  }
}
