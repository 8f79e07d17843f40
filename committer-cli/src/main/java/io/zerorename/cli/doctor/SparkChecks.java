package io.zerorename.cli.doctor;

import io.zerorename.core.config.DeclaredKeys;
import io.zerorename.core.config.PlatformVersion;
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
  private static final String PROTOCOL = "io/zerorename/spark/ZeroRenameCommitProtocol.class";
  private static final String JARS_KEY = "spark.jars";
  private static final String ARCHIVE_KEY = "spark.yarn.archive";
  private static final String YARN_JARS_KEY = "spark.yarn.jars";
  private static final String HOME = "SPARK_HOME";
  private static final Pattern CORE_JAR = Pattern.compile("spark-core_[\\d.]+-(\\d.*)\\.jar");

  List<Check> all() {
    List<Check> checks = new ArrayList<>();
    for (SettingTable.Section section : SettingTable.of(SparkDefaults.NAME)) {
      checks.add(check(section.check(), defaults -> table(defaults).judge(section)));
    }
    checks.add(check("spark-jar", this::jar));
    checks.add(check("spark-own-settings", this::ownSettings));
    checks.add(check("spark-s3a", this::s3a));
    return checks;
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

  /** Spark reads mapred-site.xml too, and its version counts as the setting SPARK_HOME. */
  private SettingTable table(SparkDefaults defaults) throws IOException {
    Optional<Configuration> mapReduce = files.read("mapred-site.xml");
    String version = version();
    return new SettingTable(
        key -> {
          String value = key.equals(HOME) ? version : defaults.get(key);
          return value.isEmpty() && key.startsWith(SparkDefaults.HADOOP + "mapred")
              ? mapReduce
                  .map(it -> it.getTrimmed(key.substring(SparkDefaults.HADOOP.length()), ""))
                  .orElse("")
              : value;
        },
        Optional.empty(),
        "",
        SparkDefaults.NAME);
  }

  /** Of the Spark in {@code SPARK_HOME}, by the name of its jar; "" where there is none. */
  private String version() throws IOException {
    for (Path jar : JarSearch.jars(ofHome())) {
      Matcher core = CORE_JAR.matcher(jar.getFileName().toString());
      if (core.matches()) {
        return PlatformVersion.of(core.group(1))
            .map(it -> it.isBelow(4, 1) ? "before-4.1" : "from-4.1")
            .orElse("");
      }
    }
    return "";
  }

  private List<String> ofHome() {
    return SparkDefaults.home(environment).map(it -> it.resolve("jars/*").toString()).stream()
        .toList();
  }

  private Finding jar(SparkDefaults defaults) throws IOException {
    JarSearch search = new JarSearch(conf.getClassLoader(), PROTOCOL);
    List<String> onYarn = onYarn(defaults);
    List<String> executor = locations(defaults, "executor", onYarn.isEmpty() ? ofHome() : onYarn);
    Optional<Path> ofDriver = search.at(locations(defaults, "driver", ofHome()));
    Optional<Path> ofExecutor = search.at(executor);
    if (ofDriver.isPresent() && ofExecutor.isPresent()) {
      return Finding.ok(ofDriver.get().toString());
    }
    Optional<Finding> unseen = JarSearch.unseen(executor);
    if (unseen.isPresent()) {
      return unseen.get();
    }
    if (defaults.get("spark.jars.packages").contains("io.zerorename:")) {
      return Finding.notChecked("spark.jars.packages has Spark fetch it from a repository");
    }
    Optional<Path> one = ofDriver.or(() -> ofExecutor);
    List<String> jars = new ArrayList<>(JarSearch.listed(defaults.get(JARS_KEY), ","));
    jars.add(one.map(Path::toString).orElseGet(search::ownJar));
    Remedy remedy = Remedy.set(JARS_KEY, String.join(",", jars), SparkDefaults.NAME);
    return one.isPresent()
        ? Finding.wrong(
            "%s is on the class path of %s only, and every write fails"
                .formatted(one.get(), ofDriver.isPresent() ? "the driver" : "the executors"),
            remedy)
        : Finding.warning(
            "no jar that spark-defaults.conf names, or that is in the directory jars of SPARK_HOME,"
                + " has the class; unless spark-submit names one by --jars, every write fails",
            remedy);
  }

  /** Where a kind of process finds its jars. */
  private static List<String> locations(
      SparkDefaults defaults, String process, List<String> ofSpark) {
    List<String> all = new ArrayList<>(JarSearch.listed(defaults.get(JARS_KEY), ","));
    all.addAll(ofSpark);
    all.addAll(JarSearch.listed(defaults.get("spark." + process + ".extraClassPath"), ":"));
    return all;
  }

  /** What executors on YARN get in place of Spark's directory of jars; empty if that. */
  private static List<String> onYarn(SparkDefaults defaults) {
    String archive = defaults.get(ARCHIVE_KEY);
    return archive.isEmpty()
        ? JarSearch.listed(defaults.get(YARN_JARS_KEY), ",")
        : List.of(archive);
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
                  String right =
                      SparkDefaults.HADOOP + DeclaredKeys.PREFIX + key.substring(prefix.length());
                  findings.add(
                      Finding.warning(
                          key + " has no effect", Remedy.set(right, value, SparkDefaults.NAME)));
                }
              });
    }
    return Finding.worst(
        findings, "every property below spark.hadoop.zerorename. is a key with an allowed value");
  }

  private Finding s3a(SparkDefaults defaults) {
    Configuration hadoop = defaults.hadoop();
    SettingTable table =
        new SettingTable(
            it -> hadoop.getTrimmed(it, ""), bucket, SparkDefaults.HADOOP, SparkDefaults.NAME);
    return Finding.worst(
        SettingTable.of("core-site.xml").stream().map(table::judge).toList(),
        "no property below spark.hadoop.fs.s3a. is in the way of uploads");
  }
}
