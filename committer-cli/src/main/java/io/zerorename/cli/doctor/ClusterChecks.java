package io.zerorename.cli.doctor;

import io.zerorename.core.config.ConfigKey;
import io.zerorename.core.config.CoreKeys;
import io.zerorename.core.config.InvalidSettingException;
import io.zerorename.core.config.S3AFileSystems;
import io.zerorename.hive.config.HiveKeys;
import io.zerorename.hive.fallback.PlatformVersion;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.util.VersionInfo;

/**
 * The checks that need no bucket: that versions and settings of each engine let INSERTs and jobs
 * use the committer. One that keeps all from it is wrong, one that keeps some from it is a warning.
 * What a session sets is not seen. Defaults are those of Hive 4.1.
 *
 * @param bucket whose own values take precedence
 */
public record ClusterChecks(Cluster cluster, Optional<String> bucket) {
  private static final String CORE = "core-site.xml";
  private static final String HIVE = "hive-site.xml";
  private static final String MAPREDUCE = "mapred-site.xml";
  private static final String VERSIONS = "versions";
  private static final String HIVE_EXEC = "hive-exec";

  /** Set by bin/zerorename where it runs without a Hadoop. */
  private static final String OWN_JARS = "zerorename.own.jars";

  private static final String SPARK_HOME = "SPARK_HOME";
  private static final Pattern HIVE_JAR = Pattern.compile("hive-exec-(\\d.*)\\.jar");
  private static final Pattern SPARK_JAR = Pattern.compile("spark-core_[\\d.]+-(\\d.*)\\.jar");

  /** In the order in which they are printed. */
  public List<Check> all() {
    List<Check> checks = new ArrayList<>(of(VERSIONS));
    checks.addAll(of(HIVE_EXEC));
    checks.add(new Check("hive-links", new HiveLinksCheck(cluster)));
    checks.add(new Check("hive-jar", new HiveJarCheck(cluster)));
    checks.addAll(of(HIVE));
    checks.add(new Check("hive-scratch", this::scratch));
    checks.addAll(of(MAPREDUCE));
    checks.addAll(of("tez-site.xml"));
    checks.addAll(of(SparkDefaults.NAME));
    checks.add(new Check("spark-own-settings", this::sparksOwn));
    checks.add(new Check("spark-s3a", this::sparksS3A));
    checks.add(new Check("own-settings", () -> own(cluster.conf(), "")));
    checks.addAll(of(CORE));
    return checks;
  }

  /** The checks of the table for one file. */
  private List<Check> of(String file) {
    return SettingTable.of(file).stream()
        .map(
            section ->
                new Check(
                    section.check(),
                    () -> new SettingTable(settings(file), bucket, "", file).judge(section)))
        .toList();
  }

  /** For Hive all files count, for jobs their own. */
  private Configuration settings(String file) throws IOException {
    return switch (file) {
      case VERSIONS -> versions();
      case HIVE_EXEC -> hive();
      case CORE -> cluster.conf();
      case HIVE -> {
        cluster.read(HIVE);
        yield cluster.conf();
      }
      case SparkDefaults.NAME -> sparks();
      default -> cluster.read(file);
    };
  }

  /** None where the archive of the commands brings jars that are not the cluster's. */
  private Configuration versions() {
    Configuration versions = new Configuration(false);
    if (!Boolean.getBoolean(OWN_JARS)) {
      versions.set("Hadoop", VersionInfo.getVersion());
      versions.set("AWS SDK", sdk());
    }
    return versions;
  }

  private String sdk() {
    try {
      // By reflection, because the compiler would inline the constant of the build's own SDK.
      return String.valueOf(
          Class.forName("software.amazon.awssdk.core.util.VersionInfo", true, cluster.classPath())
              .getField("SDK_VERSION")
              .get(null));
    } catch (ReflectiveOperationException e) {
      return "absent";
    }
  }

  /** By the name of its jar: this command has none of Hive's on its class path. */
  private Configuration hive() throws IOException {
    Configuration version = new Configuration(false);
    Matcher name = HIVE_JAR.matcher(cluster.hiveExec().getFileName().toString());
    version.set("Hive", name.matches() ? name.group(1) : "");
    return version;
  }

  private SparkDefaults spark() throws IOException {
    return SparkDefaults.find(cluster);
  }

  /** Spark reads mapred-site.xml too, and its version counts as the setting SPARK_HOME. */
  private Configuration sparks() throws IOException {
    Configuration settings = spark().all();
    settings.set(SPARK_HOME, version());
    try {
      cluster
          .read(MAPREDUCE)
          .getPropsWithPrefix("mapred")
          .forEach(
              (key, value) -> settings.setIfUnset(SparkDefaults.HADOOP + "mapred" + key, value));
    } catch (NotChecked e) {
      // There is none.
      return settings;
    }
    return settings;
  }

  /** Of the Spark in {@code SPARK_HOME}, by the name of its jar; "" where there is none. */
  private String version() throws IOException {
    for (java.nio.file.Path jar : cluster.jars(SPARK_HOME, "jars")) {
      Matcher core = SPARK_JAR.matcher(jar.getFileName().toString());
      if (core.matches()) {
        return PlatformVersion.of(core.group(1))
            .map(it -> it.isBelow(4, 1) ? "before-4.1" : "from-4.1")
            .orElse("");
      }
    }
    return "";
  }

  private Finding scratch() throws IOException {
    Configuration conf = settings(HIVE);
    Optional<String> workDir = CoreKeys.WORK_DIR.find(conf);
    String property = workDir.isPresent() ? CoreKeys.WORK_DIR.name() : "hive.exec.scratchdir";
    Path path = new Path(workDir.orElseGet(() -> conf.getTrimmed(property, "/tmp/hive")));
    String remedy = Finding.set(CoreKeys.WORK_DIR.name(), "hdfs:///tmp/hive", HIVE);
    String found = property + " is " + path + ", on ";
    if (S3AFileSystems.holds(path, conf)) {
      return Finding.wrong(
          found + "S3, which has no renames; manifests must be renamed (SCRATCH_ON_S3)", remedy);
    }
    String scheme = path.getFileSystem(conf).getScheme();
    return switch (scheme) {
      case "hdfs", "viewfs", "webhdfs" -> Finding.ok(path + " is on " + scheme);
      case "file" ->
          Finding.warning(
              found + "this machine's own disk: tasks of other nodes do not see it", remedy);
      default ->
          Finding.warning(
              found + scheme + ": the committer needs a file system whose rename is atomic",
              remedy);
    };
  }

  /**
   * Checks the names and values of the committer's own keys.
   *
   * @param prefix before each key in the file that sets it
   */
  private Finding own(Configuration settings, String prefix) {
    List<Finding> findings = new ArrayList<>();
    for (ConfigKey<?> key : HiveKeys.declared().all()) {
      try {
        key.find(settings);
        bucket.ifPresent(it -> key.find(settings, it));
      } catch (InvalidSettingException e) {
        String value = "<" + key.unit() + ">";
        findings.add(
            Finding.wrong(
                e.getMessage(),
                Finding.set(prefix + e.key(), value, "the file that the message names")));
      }
    }
    HiveKeys.declared()
        .unknownIn(settings)
        .values()
        .forEach(it -> findings.add(Finding.warning(it)));
    return Finding.worst(
        findings,
        "every property below %szerorename. is a key with an allowed value".formatted(prefix));
  }

  private Finding sparksOwn() throws IOException {
    SparkDefaults spark = spark();
    List<Finding> findings = new ArrayList<>();
    findings.add(own(spark.hadoop(), SparkDefaults.HADOOP));
    for (String prefix : List.of(ConfigKey.PREFIX, "spark." + ConfigKey.PREFIX)) {
      spark
          .all()
          .getPropsWithPrefix(prefix)
          .forEach(
              (key, value) ->
                  findings.add(
                      Finding.warning(
                          prefix + key + " has no effect",
                          Finding.set(
                              SparkDefaults.HADOOP + ConfigKey.PREFIX + key,
                              value,
                              SparkDefaults.NAME))));
    }
    return Finding.worst(
        findings, "every property below spark.hadoop.zerorename. is a key with an allowed value");
  }

  private Finding sparksS3A() throws IOException {
    SettingTable table =
        new SettingTable(spark().hadoop(), bucket, SparkDefaults.HADOOP, SparkDefaults.NAME);
    return Finding.worst(
        SettingTable.of(CORE).stream().map(table::judge).toList(),
        "no property below spark.hadoop.fs.s3a. is in the way of uploads");
  }
}
