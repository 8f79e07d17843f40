package io.zerorename.cli.doctor;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Checks that driver and executors get a jar with the class of the commit protocol. */
record SparkJarCheck(Cluster cluster, SparkDefaults defaults) implements Check.Test {
  private static final String PROTOCOL = "io/zerorename/spark/ZeroRenameCommitProtocol.class";
  private static final String JARS_KEY = "spark.jars";
  private static final String ARCHIVE_KEY = "spark.yarn.archive";
  private static final String YARN_JARS_KEY = "spark.yarn.jars";

  @Override
  public Finding run() throws IOException {
    JarSearch search = new JarSearch(cluster.classPath(), PROTOCOL);
    List<String> ofHome = SparkDefaults.jarsOfHome(cluster);
    List<String> onYarn = onYarn();
    List<String> executor = locations("executor", onYarn.isEmpty() ? ofHome : onYarn);
    Optional<Path> ofDriver = search.at(locations("driver", ofHome));
    Optional<Path> ofExecutor = search.at(executor);
    if (ofDriver.isPresent() && ofExecutor.isPresent()) {
      return Finding.ok(ofDriver.get().toString());
    }
    JarSearch.requireLocal(executor);
    if (defaults.get("spark.jars.packages").contains("io.zerorename:")) {
      return Finding.notChecked("spark.jars.packages has Spark fetch it from a repository");
    }
    Optional<Path> one = ofDriver.or(() -> ofExecutor);
    List<String> jars = new ArrayList<>(JarSearch.listed(defaults.get(JARS_KEY), ","));
    jars.add(one.map(Path::toString).orElseGet(search::ownJar));
    String remedy = Finding.set(JARS_KEY, String.join(",", jars), SparkDefaults.NAME);
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
  private List<String> locations(String process, List<String> ofSpark) {
    List<String> all = new ArrayList<>(JarSearch.listed(defaults.get(JARS_KEY), ","));
    all.addAll(ofSpark);
    all.addAll(JarSearch.listed(defaults.get("spark." + process + ".extraClassPath"), ":"));
    return all;
  }

  /** What executors on YARN get in place of Spark's directory of jars; empty if that. */
  private List<String> onYarn() {
    String archive = defaults.get(ARCHIVE_KEY);
    return archive.isEmpty()
        ? JarSearch.listed(defaults.get(YARN_JARS_KEY), ",")
        : List.of(archive);
  }
}
