package io.zerorename.cli.doctor;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;

/**
 * The spark-defaults.conf that Spark reads on this machine, or another that the user named.
 *
 * @param all its settings, trimmed, as Spark does it
 */
public record SparkDefaults(Path file, Configuration all) {
  /** The file's name. */
  public static final String NAME = "spark-defaults.conf";

  /** Before the settings of Hadoop. */
  static final String HADOOP = "spark.hadoop.";

  private static final String HOME = "SPARK_HOME";
  private static final String FOR_COMMANDS = "^(fs|zerorename)\\.";

  /**
   * The first of its possible locations that holds it.
   *
   * @throws NotChecked if there is none, or it does not name the committer
   */
  static SparkDefaults find(Cluster cluster) throws IOException {
    // As with other files, a later directory wins.
    List<Path> directories = new ArrayList<>(cluster.directories());
    Collections.reverse(directories);
    // As Spark itself chooses it.
    cluster
        .home("SPARK_CONF_DIR")
        .or(() -> cluster.home(HOME).map(home -> home.resolve("conf")))
        .ifPresent(directories::add);
    Optional<SparkDefaults> found = read(directories);
    if (found.isEmpty()) {
      throw new NotChecked(
          "no %s found%s; name Spark's configuration directory by --conf-dir"
              .formatted(
                  NAME,
                  directories.isEmpty()
                      ? ": neither SPARK_CONF_DIR nor SPARK_HOME is set"
                      : " in "
                          + directories.stream()
                              .map(Path::toString)
                              .collect(Collectors.joining(", "))));
    }
    if (found.get().all.getValByRegex(".").values().stream()
        .noneMatch(it -> it.contains("io.zerorename."))) {
      throw new NotChecked(
          "%s does not name the committer; conf-examples/%s does"
              .formatted(found.get().file, NAME));
    }
    return found.get();
  }

  private static Optional<SparkDefaults> read(List<Path> directories) throws IOException {
    for (Path directory : directories) {
      Path file = directory.resolve(NAME);
      if (Files.isRegularFile(file)) {
        Properties read = new Properties();
        try (Reader reader = Files.newBufferedReader(file)) {
          read.load(reader);
        }
        Configuration all = new Configuration(false);
        read.stringPropertyNames()
            .forEach(it -> all.set(it, read.getProperty(it).trim(), file.toString()));
        return Optional.of(new SparkDefaults(file, all));
      }
    }
    return Optional.empty();
  }

  /** Adds what the file in a directory says about file systems and the committer, if it has one. */
  public static void addTo(Configuration conf, Path directory) throws IOException {
    read(List.of(directory))
        .ifPresent(
            found ->
                found
                    .hadoop()
                    .getValByRegex(FOR_COMMANDS)
                    .forEach((key, value) -> conf.set(key, value, NAME)));
  }

  /** Hadoop's settings in it, and no others. */
  Configuration hadoop() {
    Configuration conf = new Configuration(false);
    all.getPropsWithPrefix(HADOOP).forEach((key, value) -> conf.set(key, value, file.toString()));
    return conf;
  }
}
