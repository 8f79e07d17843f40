package io.zerorename.cli.doctor;

import static io.zerorename.cli.doctor.Checked.assertFinding;
import static io.zerorename.cli.doctor.Checked.assertOk;
import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.testing.docs.SourceTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What doctor says of a cluster's files, without a bucket. */
class ClusterChecksTest {
  private static final Path EXAMPLES = SourceTree.root().resolve("conf-examples");

  /** Of what is installed, and not of settings. */
  private static final Set<String> OF_JARS = Set.of("hive-version", "hive-links", "hive-jar");

  @TempDir private Path directory;

  @Test
  void clusterWithTheExamplesIsInOrder() {
    for (Check check : checks(EXAMPLES, Map.of(), settings(""))) {
      if (!OF_JARS.contains(check.name())) {
        assertOk(check.find());
      }
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        // check | properties | outcome | remedy
        "hive-hooks | hive.query.lifetime.hooks=a.B | WRONG"
            + " | hive.query.lifetime.hooks=a.B,io.zerorename.hive.ZeroRenameHook",
        "hive-hooks | hive.semantic.analyzer.hook=a.B | WRONG"
            + " | hive.semantic.analyzer.hook=a.B,io.zerorename.hive.ZeroRenameHook",
        "hive-switch | zerorename.hive.enabled=false | WARNING | zerorename.hive.enabled=true",
        "hive-engine | hive.execution.engine=spark | WRONG | hive.execution.engine=tez",
        "hive-engine | hive.execution.mode=llap | WRONG | zerorename.hive.llap=commit",
        "hive-conditional-tasks | hive.merge.tezfiles=true | WRONG | hive.merge.tezfiles=false",
        "hive-conditional-tasks | hive.execution.engine=mr | WARNING | hive.merge.mapfiles=false",
        "hive-replication | hive.repl.cm.enabled=true | WARNING | hive.repl.cm.enabled=false",
        "hive-trash | fs.trash.interval=0.5 | WARNING | zerorename.hive.trash=delete",
        "hive-scratch | hive.exec.scratchdir=s3a://b/tmp | WRONG | zerorename.work.dir=hdfs:",
        "hive-scratch | hive.exec.scratchdir=file:///tmp/hive | WARNING"
            + " | zerorename.work.dir=hdfs:",
        "own-settings | zerorename.bucket.b.commit.threads=-3 | WRONG"
            + " | zerorename.bucket.b.commit.threads=<threads>",
        "multipart-uploads | fs.s3a.bucket.b.multipart.uploads.enabled=false | WRONG"
            + " | fs.s3a.bucket.b.multipart.uploads.enabled=true",
        "own-settings | zerorename.comit.dir=s3a://b/c | WARNING |",
        "upload-purge | fs.s3a.multipart.purge=true | WRONG | fs.s3a.multipart.purge=false",
        "upload-purge | fs.s3a.committer.name=magic | WARNING"
            + " | fs.s3a.committer.abort.pending.uploads=false",
        "upload-purge | fs.s3a.directory.operations.purge.uploads=true | WRONG"
            + " | fs.s3a.directory.operations.purge.uploads=false",
        "encryption | fs.s3a.encryption.algorithm=CSE-KMS | WRONG"
            + " | fs.s3a.encryption.algorithm=SSE-KMS",
      })
  void settingThatIsInTheWayIsNamedWithItsValue(
      String check, String properties, Outcome outcome, String remedy) {
    assertFinding(find(checks(EXAMPLES, Map.of(), settings(properties)), check), outcome, remedy);
  }

  @ParameterizedTest
  @CsvSource({"mapreduce-committer,mapred-site.xml", "tez-committer,tez-site.xml"})
  void jobsOfOneApiOnlyAreNotEnough(String check, String file) throws IOException {
    Path site = directory.resolve(file);
    Files.writeString(site, "<configuration/>");
    assertThat(find(check, Map.of()).outcome()).isEqualTo(Outcome.NOT_CHECKED);

    Files.writeString(
        site,
        Files.readString(EXAMPLES.resolve(file))
            .replace("io.zerorename.magic.mapred.MagicOutputCommitter", "a.B"));
    Finding finding = find(check, Map.of());
    assertThat(finding.outcome()).isEqualTo(Outcome.WRONG);
    assertThat(finding.remedies())
        .containsExactly(
            "set mapred.output.committer.class=io.zerorename.magic.mapred.MagicOutputCommitter in "
                + file);
  }

  @ParameterizedTest
  @CsvSource({
    "versions, Hadoop, 3.5.0, OK",
    "versions, Hadoop, 4.0.0, WARNING",
    "versions, Hadoop, 3.3.6, WRONG",
    "versions, AWS SDK, absent, WRONG",
    "hive-exec, Hive, 4.2.0-SNAPSHOT, WARNING",
  })
  void versionIsComparedWithThoseOfTheTests(
      String file, String platform, String version, Outcome outcome) {
    assertThat(judge(file, platform, version).outcome()).isEqualTo(outcome);
  }

  private static Finding judge(String file, String platform, String version) {
    Configuration versions = new Configuration(false);
    versions.set(platform, version);
    return SettingTable.of(file).stream()
        .filter(it -> it.rows().get(0).get(1).equals(platform))
        .map(new SettingTable(versions, Optional.empty(), "", file)::judge)
        .findFirst()
        .orElseThrow();
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
      assertThat(judge("hive-exec", "Hive", version))
          .as(pom)
          .isEqualTo(Finding.ok("Hive " + version));
    }
  }

  @Test
  void hiveIsFoundByItsHome() throws IOException {
    Path lib = Files.createDirectories(directory.resolve("hive/lib"));
    Map<String, String> environment = Map.of("HIVE_HOME", directory.resolve("hive").toString());
    Files.createFile(lib.resolve("hive-exec-4.2.0.jar"));
    assertThat(find("hive-version", environment)).isEqualTo(Finding.ok("Hive 4.2.0"));
  }

  private Finding find(String check, Map<String, String> environment) {
    return find(checks(directory, environment, new Configuration()), check);
  }

  private static Finding find(List<Check> checks, String name) {
    return checks.stream().filter(it -> it.name().equals(name)).findFirst().orElseThrow().find();
  }

  private static List<Check> checks(
      Path files, Map<String, String> environment, Configuration conf) {
    Cluster cluster = new Cluster(conf, List.of(files), environment, Optional.empty());
    return new ClusterChecks(cluster, Optional.of("b")).all();
  }

  /** Those of the examples, and some more. */
  private static Configuration settings(String more) {
    Configuration conf = new Configuration();
    // The default is this machine's own disk, which no cluster has.
    conf.set("fs.defaultFS", "viewfs://cluster/");
    conf.set("fs.viewfs.mounttable.cluster.link./tmp", "file:///tmp");
    for (String name : List.of("core-site.xml", "mapred-site.xml", "hive-site.xml")) {
      conf.addResource(new org.apache.hadoop.fs.Path(EXAMPLES.resolve(name).toUri()));
    }
    for (String setting : more.split(" ", 0)) {
      if (!setting.isEmpty()) {
        conf.set(setting.split("=", 2)[0], setting.split("=", 2)[1]);
      }
    }
    return conf;
  }
}
