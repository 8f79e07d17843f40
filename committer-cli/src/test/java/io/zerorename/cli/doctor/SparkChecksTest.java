package io.zerorename.cli.doctor;

import static io.zerorename.cli.doctor.Checked.assertFinding;
import static io.zerorename.cli.doctor.Checked.assertOk;
import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.cli.CommandLineRun;
import io.zerorename.testing.docs.SourceTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What doctor says of a spark-defaults.conf, and where it finds one. */
class SparkChecksTest {
  private static final String FILE = "spark-defaults.conf";

  @TempDir private Path directory;
  private String example;

  @BeforeEach
  void install() throws IOException {
    example = Files.readString(SourceTree.root().resolve("conf-examples").resolve(FILE));
  }

  @Test
  void theExampleIsReady() throws IOException {
    write(example);
    CommandLineRun run =
        CommandLineRun.of(new Configuration(), "doctor", "--conf-dir", directory.toString());
    assertThat(run.exitCode()).as(run.out() + run.err()).isZero();
    assertThat(run.out().lines()).contains("Spark: READY");
  }

  /** As Spark does, a later line of the file wins, and blanks do not count. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        // check | lines behind the example's | outcome | what is said | remedy
        "spark-committer | spark.sql.sources.commitProtocolClass=a.B | WRONG"
            + " | spark.sql.sources.commitProtocolClass is a.B: data frames, tables and SQL use"
            + " | spark.sql.sources.commitProtocolClass=io.zerorename.spark.ZeroRenameCommitProtocol",
        "spark-committer | spark.sql.sources.commitProtocolClass=;"
            + " spark.hadoop.mapreduce.outputcommitter.factory.scheme.s3a= | WRONG"
            + " | is not set: data frames, tables and SQL use another commit protocol"
            + " | spark.sql.sources.commitProtocolClass=io.zerorename.spark.ZeroRenameCommitProtocol",
        "spark-extensions | spark.sql.extensions\tc.D | WARNING | keep Spark's renames"
            + " | spark.sql.extensions=c.D,io.zerorename.spark.ZeroRenameExtensions",
        "spark-streaming | spark.sql.streaming.commitProtocolClass:"
            + "io.zerorename.spark.ZeroRenameCommitProtocol | WRONG | refuses to commit streams |",
        "spark-checkpoints | spark.sql.streaming.checkpointFileManagerClass= | NOT_CHECKED"
            + " | checkpoints of streaming queries do not use the committer |",
        "spark-rdds | spark.hadoop.mapreduce.outputcommitter.factory.scheme.s3a= | WARNING"
            + " | RDDs of one of Hadoop's APIs use another committer"
            + " | spark.hadoop.mapreduce.outputcommitter.factory.scheme.s3a="
            + "io.zerorename.magic.mapreduce.MagicCommitterFactory",
        "spark-own-settings | spark.hadoop.zerorename.commit.threads -3 | WRONG"
            + " | ZR-3201: zerorename.commit.threads is \"-3\""
            + " | spark.hadoop.zerorename.commit.threads=<threads>",
        "spark-own-settings | spark.hadoop.zerorename.comit.dir s3a://b/c | WARNING"
            + " | zerorename.comit.dir is no key of the committer |",
        "spark-s3a | spark.hadoop.fs.s3a.multipart.purge true | WRONG | S3A aborts uploads"
            + " | spark.hadoop.fs.s3a.multipart.purge=false",
      })
  void settingThatIsInTheWayIsNamedWithItsValue(
      String check, String lines, Outcome outcome, String said, String remedy) throws IOException {
    write(example + "\n" + lines.replace(";", "\n"));
    Finding finding = find(check, Map.of());
    assertFinding(finding, outcome, remedy);
    assertThat(finding.text()).contains(said);
  }

  @Test
  void theFileIsFoundWhereSparkReadsIt() throws IOException {
    write("conf", example);
    Map<String, String> home = Map.of("SPARK_HOME", directory.toString());
    assertOk(find(List.of(), "spark-committer", home));

    Path conf = write("own", "spark.sql.sources.commitProtocolClass a.B\na io.zerorename.b");
    Map<String, String> both =
        Map.of("SPARK_HOME", directory.toString(), "SPARK_CONF_DIR", conf.toString());
    assertThat(find(List.of(), "spark-committer", both).outcome()).isEqualTo(Outcome.WRONG);
    // The last directory that was named.
    assertOk(find(List.of(conf, directory.resolve("conf")), "spark-committer", both));
  }

  @ParameterizedTest
  @CsvSource({"3.5.7, '', ''", "4.1.0-preview1, 41, ''", "4.2.0, '', 41", "3.5.2-vendor, 41, ''"})
  void theClassForCheckpointsFitsSparksVersion(String spark, String named, String right)
      throws IOException {
    String property = "spark.sql.streaming.checkpointFileManagerClass";
    String manager = "io.zerorename.spark.ConditionalCheckpointFileManager";
    Checked.jar(
        directory.resolve("home/jars/spark-core_2.13-" + spark + ".jar"), "some/Other.class");
    write(property + " " + manager + named);
    Finding finding = find("spark-checkpoints", home());
    if (spark.equals("4.2.0") || spark.equals("3.5.2-vendor")) {
      assertThat(finding)
          .isEqualTo(
              Finding.wrong(
                  property
                      + " is "
                      + manager
                      + named
                      + ": it does not fit this Spark, and every streaming query fails",
                  Finding.set(property, manager + right, FILE)));
    } else {
      assertOk(finding);
    }
  }

  private Map<String, String> home() {
    return Map.of("SPARK_HOME", directory.resolve("home").toString());
  }

  private void write(String settings) throws IOException {
    Files.writeString(directory.resolve(FILE), settings);
  }

  private Path write(String name, String settings) throws IOException {
    Path made = Files.createDirectory(directory.resolve(name));
    Files.writeString(made.resolve(FILE), settings);
    return made;
  }

  private Finding find(String check, Map<String, String> environment) {
    return find(List.of(directory), check, environment);
  }

  private static Finding find(
      List<Path> directories, String check, Map<String, String> environment) {
    return checks(directories, environment).stream()
        .filter(it -> it.name().equals(check))
        .findFirst()
        .orElseThrow()
        .find();
  }

  private static List<Check> checks(List<Path> directories, Map<String, String> environment) {
    Cluster cluster = new Cluster(new Configuration(), directories, environment, Optional.empty());
    return new ClusterChecks(cluster, Optional.of("b")).all();
  }
}
