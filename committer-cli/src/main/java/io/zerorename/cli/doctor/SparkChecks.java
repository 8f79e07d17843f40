package io.zerorename.cli.doctor;

import io.zerorename.core.config.DeclaredKeys;
import io.zerorename.core.config.FixedSetting;
import io.zerorename.core.config.PlatformVersion;
import io.zerorename.magic.job.MapReduceKeys;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.util.functional.FunctionRaisingIOE;

/**
 * Checks that spark-defaults.conf has Spark's writes use the committer. What a session or
 * spark-submit sets is not seen.
 *
 * @param conf with the class path of this command
 * @param bucket whose own values take precedence
 */
record SparkChecks(
    Configuration conf,
    ClusterFiles files,
    Map<String, String> environment,
    Optional<String> bucket) {
  private static final String PROTOCOL = "io.zerorename.spark.ZeroRenameCommitProtocol";
  private static final String PROTOCOL_KEY = "spark.sql.sources.commitProtocolClass";
  private static final String CHECKPOINTS = "io.zerorename.spark.ConditionalCheckpointFileManager";

  /** From Spark 4.1 on. */
  private static final String CHECKPOINTS_41 = CHECKPOINTS + "41";

  private static final String CHECKPOINTS_KEY = "spark.sql.streaming.checkpointFileManagerClass";
  private static final String JARS_KEY = "spark.jars";
  private static final String ARCHIVE_KEY = "spark.yarn.archive";
  private static final String YARN_JARS_KEY = "spark.yarn.jars";
  private static final Pattern CORE_JAR = Pattern.compile("spark-core_[\\d.]+-(\\d.*)\\.jar");

  List<Check> all() {
    return List.of(
        check("spark-committer", this::committer),
        check(
            "spark-extensions",
            it ->
                table(it)
                    .judge("spark-extensions", "tables in Hive's own formats use the committer")),
        check(
            "spark-streaming",
            it ->
                table(it)
                    .judge(
                        "spark-streaming", "streams keep Spark's protocol, which does not rename")),
        check("spark-checkpoints", this::checkpoints),
        check("spark-rdds", this::rdds),
        check("spark-jar", this::jar),
        check("spark-own-settings", this::ownSettings),
        check("spark-s3a", this::s3a));
  }

  /** One check of the file. */
  private Check check(String name, FunctionRaisingIOE<SparkDefaults, Finding> test) {
    return new Check(
        name,
        () -> {
          List<Path> directories = SparkDefaults.directories(files.directories(), environment);
          Optional<SparkDefaults> found = SparkDefaults.read(directories);
          if (found.isEmpty()) {
            return Finding.notChecked(
                "no %s found%s; name Spark's configuration directory by --conf-dir"
                    .formatted(
                        SparkDefaults.NAME,
                        directories.isEmpty()
                            ? ": neither SPARK_CONF_DIR nor SPARK_HOME is set"
                            : " in "
                                + directories.stream()
                                    .map(Path::toString)
                                    .collect(Collectors.joining(", "))));
          }
          SparkDefaults defaults = found.get();
          if (defaults.settings().values().stream()
              .noneMatch(it -> it.contains("io.zerorename."))) {
            return Finding.notChecked(
                "%s does not name the committer; conf-examples/%s does"
                    .formatted(defaults.file(), SparkDefaults.NAME));
          }
          return test.apply(defaults);
        });
  }

  private Finding committer(SparkDefaults defaults) {
    String value = defaults.get(PROTOCOL_KEY);
    if (value.equals(PROTOCOL)) {
      return Finding.ok("data frames, tables and SQL use the committer");
    }
    FixedSetting factory = MapReduceKeys.committers().get(0);
    // Appends have no renames then: docs/spark.md, Without the commit protocol.
    boolean appends =
        value.isEmpty()
            && defaults.get(SparkDefaults.HADOOP + factory.key()).equals(factory.value());
    return new Finding(
        appends ? Outcome.WARNING : Outcome.WRONG,
        "%s is %s: %s"
            .formatted(
                PROTOCOL_KEY,
                value.isEmpty() ? "not set" : value,
                appends
                    ? "appends are without renames, overwrites are not"
                    : "data frames, tables and SQL use another commit protocol"),
        List.of(set(PROTOCOL_KEY, PROTOCOL)));
  }

  private Finding checkpoints(SparkDefaults defaults) throws IOException {
    String value = defaults.get(CHECKPOINTS_KEY);
    if (!value.equals(CHECKPOINTS) && !value.equals(CHECKPOINTS_41)) {
      return Finding.notChecked(
          "checkpoints of streaming queries do not use the committer; conf-examples/%s sets it"
              .formatted(SparkDefaults.NAME));
    }
    Optional<PlatformVersion> version = version();
    if (version.isEmpty()) {
      return Finding.ok(
          "checkpoints of streaming queries use the committer; "
              + (value.equals(CHECKPOINTS)
                  ? "the class is for Spark before 4.1"
                  : "the class is for Spark 4.1 and later"));
    }
    String right = version.get().isBelow(4, 1) ? CHECKPOINTS : CHECKPOINTS_41;
    return value.equals(right)
        ? Finding.ok("checkpoints of streaming queries use the committer")
        : Finding.wrong(
            "%s does not fit Spark %s, and every streaming query fails"
                .formatted(value, version.get()),
            set(CHECKPOINTS_KEY, right));
  }

  /** Of the Spark in {@code SPARK_HOME}, by the name of its jar; empty where there is none. */
  private Optional<PlatformVersion> version() throws IOException {
    for (Path jar :
        JarSearch.jarsIn(SparkDefaults.home(environment).map(it -> it.resolve("jars")))) {
      Matcher core = CORE_JAR.matcher(jar.getFileName().toString());
      if (core.matches()) {
        return PlatformVersion.of(core.group(1));
      }
    }
    return Optional.empty();
  }

  /** Spark reads mapred-site.xml too. */
  private Finding rdds(SparkDefaults defaults) {
    Optional<Configuration> mapReduce = files.read("mapred-site.xml");
    List<Remedy> remedies = new ArrayList<>();
    for (FixedSetting setting : MapReduceKeys.committers()) {
      String key = SparkDefaults.HADOOP + setting.key();
      String value = defaults.get(key);
      if (value.isEmpty()) {
        value = mapReduce.map(it -> it.getTrimmed(setting.key(), "")).orElse("");
      }
      if (!value.equals(setting.value())) {
        remedies.add(set(key, setting.value()));
      }
    }
    return switch (remedies.size()) {
      case 0 -> Finding.ok("RDDs of both of Hadoop's APIs use the committer");
      case 1 ->
          new Finding(
              Outcome.WARNING, "RDDs of one of Hadoop's APIs use another committer", remedies);
      default ->
          Finding.notChecked(
              "RDDs do not use the committer (data frames, tables and SQL do not need that);"
                  + " conf-examples/%s sets it".formatted(SparkDefaults.NAME));
    };
  }

  private Finding jar(SparkDefaults defaults) throws IOException {
    JarSearch search = new JarSearch(conf.getClassLoader(), PROTOCOL.replace('.', '/') + ".class");
    List<String> jars = JarSearch.listed(defaults.get(JARS_KEY), ",");
    List<String> ofHome =
        SparkDefaults.home(environment).map(it -> it.resolve("jars/*").toString()).stream()
            .toList();
    List<String> onYarn = onYarn(defaults);
    List<String> driver = new ArrayList<>(jars);
    driver.addAll(ofHome);
    List<String> executor = new ArrayList<>(jars);
    executor.addAll(onYarn.isEmpty() ? ofHome : onYarn);
    Optional<Path> ofDriver = search.at(append(driver, classPath(defaults, "driver")));
    Optional<Path> ofExecutor = search.at(append(executor, classPath(defaults, "executor")));
    if (ofDriver.isPresent() && ofExecutor.isPresent()) {
      return Finding.ok(ofDriver.get().toString());
    }
    List<String> remote = JarSearch.remote(executor);
    if (!remote.isEmpty()) {
      return Finding.notChecked(
          "this check cannot read other file systems: " + String.join(", ", remote));
    }
    if (defaults.get("spark.jars.packages").contains("io.zerorename:")) {
      return Finding.notChecked("spark.jars.packages has Spark fetch it from a repository");
    }
    Optional<Path> one = ofDriver.or(() -> ofExecutor);
    Remedy remedy =
        set(
            JARS_KEY,
            String.join(
                ",", append(jars, one.map(Path::toString).orElseGet(() -> search.ownJar()))));
    return one.map(
            it ->
                Finding.wrong(
                    "%s is on the class path of %s only, and every write fails"
                        .formatted(it, ofDriver.isPresent() ? "the driver" : "the executors"),
                    remedy))
        .orElseGet(
            () ->
                Finding.warning(
                    "no jar that %s names, or that is in the directory jars of SPARK_HOME, has the"
                            .formatted(SparkDefaults.NAME)
                        + " class; unless spark-submit names one by --jars, every write fails",
                    remedy));
  }

  /** What executors on YARN get in place of Spark's directory of jars; empty if that. */
  private static List<String> onYarn(SparkDefaults defaults) {
    String archive = defaults.get(ARCHIVE_KEY);
    return archive.isEmpty()
        ? JarSearch.listed(defaults.get(YARN_JARS_KEY), ",")
        : List.of(archive);
  }

  private static String[] classPath(SparkDefaults defaults, String process) {
    return JarSearch.listed(defaults.get("spark." + process + ".extraClassPath"), ":")
        .toArray(String[]::new);
  }

  private static List<String> append(List<String> list, String... more) {
    List<String> all = new ArrayList<>(list);
    all.addAll(List.of(more));
    return all;
  }

  private Finding ownSettings(SparkDefaults defaults) {
    List<Finding> findings = new ArrayList<>();
    new OwnSettingChecks(defaults.hadoop(), bucket, SparkDefaults.HADOOP)
        .all()
        .forEach(check -> findings.add(check.find()));
    for (String prefix : List.of(DeclaredKeys.PREFIX, "spark." + DeclaredKeys.PREFIX)) {
      defaults
          .settings()
          .forEach(
              (key, value) -> {
                if (key.startsWith(prefix)) {
                  findings.add(
                      Finding.warning(
                          key + " has no effect",
                          set(
                              SparkDefaults.HADOOP
                                  + DeclaredKeys.PREFIX
                                  + key.substring(prefix.length()),
                              value)));
                }
              });
    }
    return Finding.worst(
        findings, "every property below spark.hadoop.zerorename. is a key with an allowed value");
  }

  private Finding s3a(SparkDefaults defaults) {
    Configuration hadoop = defaults.hadoop();
    return Finding.worst(
        new SettingTable(
                it -> hadoop.getTrimmed(it, ""), bucket, SparkDefaults.HADOOP, SparkDefaults.NAME)
            .ofS3A().stream().map(Check::find).toList(),
        "no property below spark.hadoop.fs.s3a. is in the way of uploads");
  }

  private static SettingTable table(SparkDefaults defaults) {
    return new SettingTable(defaults::get, Optional.empty(), "", SparkDefaults.NAME);
  }

  private static Remedy set(String property, String value) {
    return Remedy.set(property, value, SparkDefaults.NAME);
  }
}
