package io.zerorename.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.cli.CommandLineRun;
import io.zerorename.testing.docs.SourceTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What doctor says of a spark-defaults.conf, and where it finds one. */
class SparkChecksTest {
  private static final String CLASS = "io/zerorename/spark/ZeroRenameCommitProtocol.class";
  private static final String FILE = "spark-defaults.conf";
  private static final String OK = "ok           ";
  private static final String WARNING = "warning      ";
  private static final String WRONG = "WRONG        ";
  private static final String NOT_CHECKED = "not checked  ";
  private static final String REMEDY = "               -> ";

  @TempDir private Path directory;
  private Path committer;
  private Path other;
  private String example;

  @BeforeEach
  void install() throws IOException {
    committer = jar("opt/committer.jar", CLASS);
    other = jar("opt/other.jar", "some/Other.class");
    example = Files.readString(SourceTree.root().resolve("conf-examples").resolve(FILE));
  }

  @Test
  void theExampleWithAJarIsReady() throws IOException {
    assertPrints(
        example + "\nspark.jars " + other + ", " + committer,
        0,
        OK + "spark-committer               data frames, tables and SQL use the committer",
        OK + "spark-extensions              tables in Hive's own formats use the committer",
        OK + "spark-streaming               streams keep Spark's protocol, which does not rename",
        OK + "spark-checkpoints             checkpoints of streaming queries use the committer",
        OK + "spark-rdds                    RDDs of both of Hadoop's APIs use the committer",
        OK + "spark-jar                     " + committer,
        OK
            + "spark-own-settings            every property below spark.hadoop.zerorename. is a key"
            + " with an allowed value",
        OK
            + "spark-s3a                     no property below spark.hadoop.fs.s3a. is in the way of"
            + " uploads",
        "Spark: READY");
  }

  @Test
  void settingsThatAreInTheWayAreNamedWithTheirValues() throws IOException {
    assertPrints(
        String.join(
            "\n",
            "spark.sql.sources.commitProtocolClass=a.B",
            "spark.sql.streaming.commitProtocolClass:"
                + "io.zerorename.spark.ZeroRenameCommitProtocol",
            "spark.sql.extensions\tc.D",
            "spark.sql.hive.manageFilesourcePartitions   FALSE  ",
            "spark.hadoop.mapred.output.committer.class "
                + "io.zerorename.magic.mapred.MagicOutputCommitter",
            "spark.driver.extraClassPath " + other + ":" + committer.getParent() + "/*",
            "spark.hadoop.zerorename.commit.threads -3",
            "spark.hadoop.zerorename.comit.dir s3a://b/c",
            "zerorename.inline.max.bytes 0",
            "spark.hadoop.fs.s3a.multipart.purge true",
            "spark.hadoop.fs.s3a.multipart.uploads.enabled false"),
        1,
        WRONG
            + "spark-committer               spark.sql.sources.commitProtocolClass is a.B: data"
            + " frames, tables and SQL use another commit protocol",
        set("spark.sql.sources.commitProtocolClass=io.zerorename.spark.ZeroRenameCommitProtocol"),
        WARNING
            + "spark-extensions              spark.sql.extensions is c.D: tables in Hive's own formats"
            + " keep Spark's renames; spark.sql.hive.manageFilesourcePartitions is FALSE: partitioned"
            + " tables in Hive's own formats keep Spark's renames",
        set("spark.sql.extensions=c.D,io.zerorename.spark.ZeroRenameExtensions"),
        set("spark.sql.hive.manageFilesourcePartitions=true"),
        WRONG
            + "spark-streaming               spark.sql.streaming.commitProtocolClass is"
            + " io.zerorename.spark.ZeroRenameCommitProtocol: the committer refuses to commit streams;"
            + " remove it",
        NOT_CHECKED
            + "spark-checkpoints             spark.sql.streaming.checkpointFileManagerClass is not set:"
            + " checkpoints of streaming queries do not use the committer;"
            + " conf-examples/spark-defaults.conf sets it",
        WARNING
            + "spark-rdds                    spark.hadoop.mapreduce.outputcommitter.factory.scheme.s3a"
            + " is not set: RDDs of one of Hadoop's APIs use another committer",
        set(
            "spark.hadoop.mapreduce.outputcommitter.factory.scheme.s3a="
                + "io.zerorename.magic.mapreduce.MagicCommitterFactory"),
        WRONG
            + "spark-jar                     "
            + committer
            + " is on the class path of the driver only, and every write fails",
        set("spark.jars=" + committer),
        WRONG
            + "spark-own-settings            ZR-3201: zerorename.commit.threads is \"-3\"; it must be"
            + " a whole number from 1 to 1024. Set it in "
            + directory.resolve(FILE)
            + " or remove it to use 64; ZR-3203: zerorename.comit.dir is no key of the committer and has"
            + " no effect; docs/configuration.md lists the keys. It is set in "
            + directory.resolve(FILE)
            + "; zerorename.inline.max.bytes has no effect",
        REMEDY
            + "set spark.hadoop.zerorename.commit.threads=<threads> in the file that the message"
            + " names",
        set("spark.hadoop.zerorename.inline.max.bytes=0"),
        WRONG
            + "spark-s3a                     fs.s3a.multipart.uploads.enabled is false: the committer"
            + " needs multipart uploads (MULTIPART_OFF); fs.s3a.multipart.purge is true: S3A aborts"
            + " uploads, also those of running INSERTs and jobs",
        set("spark.hadoop.fs.s3a.multipart.uploads.enabled=true"),
        set("spark.hadoop.fs.s3a.multipart.purge=false"),
        "Spark: NOT READY, 5 problems");
  }

  @Test
  void theExtensionsDoNothingAlone() throws IOException {
    assertPrints(
        "spark.sql.extensions io.zerorename.spark.ZeroRenameExtensions\nspark.jars "
            + committer
            + "\n spark.sql.hive.manageFilesourcePartitions false",
        1,
        WRONG
            + "spark-committer               spark.sql.sources.commitProtocolClass is not set: data"
            + " frames, tables and SQL use another commit protocol",
        set("spark.sql.sources.commitProtocolClass=io.zerorename.spark.ZeroRenameCommitProtocol"),
        WARNING
            + "spark-extensions              spark.sql.hive.manageFilesourcePartitions is false:"
            + " partitioned tables in Hive's own formats keep Spark's renames",
        set("spark.sql.hive.manageFilesourcePartitions=true"),
        OK + "spark-streaming               streams keep Spark's protocol, which does not rename",
        NOT_CHECKED
            + "spark-checkpoints             spark.sql.streaming.checkpointFileManagerClass is not set:"
            + " checkpoints of streaming queries do not use the committer;"
            + " conf-examples/spark-defaults.conf sets it",
        NOT_CHECKED
            + "spark-rdds                    RDDs do not use the committer (data frames, tables and"
            + " SQL do not need that); conf-examples/spark-defaults.conf sets it",
        OK + "spark-jar                     " + committer,
        OK
            + "spark-own-settings            every property below spark.hadoop.zerorename. is a key"
            + " with an allowed value",
        OK
            + "spark-s3a                     no property below spark.hadoop.fs.s3a. is in the way of"
            + " uploads",
        "Spark: NOT READY, 1 problem");
  }

  @Test
  void theCommittersForMapReduceAloneAreForAppends() throws IOException {
    write(
        "spark.hadoop.mapreduce.outputcommitter.factory.scheme.s3a"
            + " io.zerorename.magic.mapreduce.MagicCommitterFactory");
    assertThat(find("spark-committer", Map.of()))
        .isEqualTo(
            Finding.warning(
                "spark.sql.sources.commitProtocolClass is not set: appends are without renames,"
                    + " overwrites are not",
                Finding.set(
                    "spark.sql.sources.commitProtocolClass",
                    "io.zerorename.spark.ZeroRenameCommitProtocol",
                    FILE)));
  }

  @Test
  void aSparkThatDoesNotUseTheCommitterIsNoProblem() throws IOException {
    String reason =
        directory.resolve(FILE)
            + " does not name the committer; conf-examples/spark-defaults.conf does";
    CommandLineRun run = run("spark.sql.streaming.commitProtocolClass a.B");
    assertThat(run.out().lines().filter(SparkChecksTest::isOfSpark))
        .containsExactly(
            NOT_CHECKED + "spark-committer .. spark-s3a  " + reason,
            "Spark: NOT CHECKED, " + reason);
    assertThat(run.out()).contains(" 0 WRONG, ");
  }

  @Test
  void withoutTheFileItSaysWhereItLooked() {
    String advice = "; name Spark's configuration directory by --conf-dir";
    assertThat(find("spark-jar", Map.of()))
        .isEqualTo(Finding.notChecked("no spark-defaults.conf found in " + directory + advice));
    assertThat(find("spark-committer", Map.of("SPARK_HOME", "/no/spark")))
        .isEqualTo(
            Finding.notChecked(
                "no spark-defaults.conf found in " + directory + ", /no/spark/conf" + advice));
    assertThat(
            find(
                List.of(),
                "spark-committer",
                Map.of("SPARK_HOME", "/no/spark", "SPARK_CONF_DIR", "/no/conf")))
        .isEqualTo(Finding.notChecked("no spark-defaults.conf found in /no/conf" + advice));
    assertThat(find(List.of(), "spark-committer", Map.of()))
        .isEqualTo(
            Finding.notChecked(
                "no spark-defaults.conf found: neither SPARK_CONF_DIR nor SPARK_HOME is set"
                    + advice));
  }

  @Test
  void theFileIsFoundWhereSparkReadsIt() throws IOException {
    Finding ok = Finding.ok("data frames, tables and SQL use the committer");
    write("conf", example);
    Map<String, String> home = Map.of("SPARK_HOME", directory.toString());
    assertThat(find(List.of(), "spark-committer", home)).isEqualTo(ok);

    Path conf = write("own", "spark.sql.sources.commitProtocolClass a.B\na io.zerorename.b");
    Map<String, String> both =
        Map.of("SPARK_HOME", directory.toString(), "SPARK_CONF_DIR", conf.toString());
    assertThat(find(List.of(), "spark-committer", both).outcome()).isEqualTo(Outcome.WRONG);

    assertThat(find(List.of(conf, directory.resolve("conf")), "spark-committer", both))
        .as("the last directory that was named")
        .isEqualTo(ok);
  }

  @Test
  void theJarMayBeInSparksOwnDirectory() throws IOException {
    Path jar = jar("home/jars/committer.jar", CLASS);
    Map<String, String> home = Map.of("SPARK_HOME", directory.resolve("home").toString());
    write(example);
    assertThat(find("spark-jar", home)).isEqualTo(Finding.ok(jar.toString()));

    write(example + "\nspark.yarn.jars local:" + other);
    assertThat(find("spark-jar", home))
        .isEqualTo(
            Finding.wrong(
                jar + " is on the class path of the driver only, and every write fails",
                Finding.set("spark.jars", jar.toString(), FILE)));

    write(example + "\nspark.yarn.archive hdfs://nn/spark.zip\nspark.yarn.jars " + jar);
    assertThat(find("spark-jar", home))
        .isEqualTo(
            Finding.notChecked("this check cannot read other file systems: hdfs://nn/spark.zip"));
  }

  @Test
  void theClassForCheckpointsFitsSparksVersion() throws IOException {
    String forEarlier = "io.zerorename.spark.ConditionalCheckpointFileManager";
    Finding ok = Finding.ok("checkpoints of streaming queries use the committer");
    assertThat(checkpoints("3.5.7", forEarlier)).isEqualTo(ok);
    assertThat(checkpoints("4.0.1", forEarlier)).isEqualTo(ok);
    assertThat(checkpoints("4.1.0-preview1", forEarlier + "41")).isEqualTo(ok);
    assertThat(checkpoints("4.2.0", forEarlier))
        .isEqualTo(doesNotFit(forEarlier, forEarlier + "41"));
    assertThat(checkpoints("3.5.2-vendor", forEarlier + "41"))
        .isEqualTo(doesNotFit(forEarlier + "41", forEarlier));
  }

  private Finding checkpoints(String spark, String manager) throws IOException {
    jar(spark + "/jars/spark-core_2.13-" + spark + ".jar", "some/Other.class");
    write("spark.sql.streaming.checkpointFileManagerClass " + manager);
    return find("spark-checkpoints", Map.of("SPARK_HOME", directory.resolve(spark).toString()));
  }

  private static Finding doesNotFit(String named, String right) {
    return Finding.wrong(
        "spark.sql.streaming.checkpointFileManagerClass is "
            + named
            + ": it does not fit this Spark, and every streaming query fails",
        Finding.set("spark.sql.streaming.checkpointFileManagerClass", right, FILE));
  }

  @Test
  void theJarMayBeOnBothClassPaths() throws IOException {
    String executor = "\nspark.executor.extraClassPath " + committer;
    write(example + executor);
    assertThat(find("spark-jar", Map.of()).text())
        .isEqualTo(
            committer + " is on the class path of the executors only, and every write fails");

    write(example + executor + "\nspark.driver.extraClassPath " + committer);
    assertThat(find("spark-jar", Map.of())).isEqualTo(Finding.ok(committer.toString()));
  }

  @Test
  void aJarThatIsElsewhereIsNotMissing() throws IOException {
    write(example + "\nspark.jars s3a://b/committer.jar");
    assertThat(find("spark-jar", Map.of()))
        .isEqualTo(
            Finding.notChecked("this check cannot read other file systems: s3a://b/committer.jar"));

    write(example + "\nspark.jars.packages io.zerorename:zero-rename-dist:1");
    assertThat(find("spark-jar", Map.of()).outcome()).isEqualTo(Outcome.NOT_CHECKED);

    write(example + "\nspark.jars " + other);
    Finding finding = find("spark-jar", Map.of());
    assertThat(finding.outcome()).isEqualTo(Outcome.WARNING);
    assertThat(finding.text())
        .isEqualTo(
            "no jar that spark-defaults.conf names, or that is in the directory jars of SPARK_HOME,"
                + " has the class; unless spark-submit names one by --jars, every write fails");
    assertThat(Checked.remedies(finding))
        .singleElement()
        .asString()
        .startsWith("set spark.jars=" + other + ",");
  }

  private static String set(String setting) {
    return REMEDY + "set " + setting + " in spark-defaults.conf";
  }

  private void assertPrints(String settings, int exitCode, String... lines) throws IOException {
    CommandLineRun run = run(settings);
    assertThat(run.out().lines().filter(SparkChecksTest::isOfSpark)).containsExactly(lines);
    assertThat(run.err()).isEmpty();
    assertThat(run.exitCode()).isEqualTo(exitCode);
  }

  /** Without a path, and with the files of no other engine, nothing else has a remedy. */
  private static boolean isOfSpark(String line) {
    return line.contains("  spark-") || line.startsWith(REMEDY) || line.startsWith("Spark: ");
  }

  private CommandLineRun run(String settings) throws IOException {
    write(settings);
    return CommandLineRun.of(new Configuration(), "doctor", "--conf-dir", directory.toString());
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
    return new Cluster(new Configuration(), directories, environment, Optional.empty())
        .checks(Optional.of("b")).stream()
            .filter(it -> it.name().equals(check))
            .findFirst()
            .orElseThrow()
            .find();
  }

  private Path jar(String name, String entry) throws IOException {
    Path jar = directory.resolve(name);
    Files.createDirectories(jar.getParent());
    try (JarOutputStream content = new JarOutputStream(Files.newOutputStream(jar))) {
      content.putNextEntry(new JarEntry(entry));
    }
    return jar;
  }
}
