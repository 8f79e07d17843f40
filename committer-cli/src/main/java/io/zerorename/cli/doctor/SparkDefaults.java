package io.zerorename.cli.doctor;

import io.zerorename.cli.command.InputException;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;

/**
 * The spark-defaults.conf that Spark reads on this machine, or another that the user named.
 *
 * @param settings trimmed, as Spark does it
 */
public record SparkDefaults(Path file, Map<String, String> settings) {
  /** The file's name. */
  public static final String NAME = "spark-defaults.conf";

  /** Before the settings of Hadoop. */
  static final String HADOOP = "spark.hadoop.";

  private static final Pattern FOR_COMMANDS = Pattern.compile("(fs|zerorename)\\..*");

  /** Its possible locations: the first that holds it is read. */
  static List<Path> directories(List<Path> named, Map<String, String> environment) {
    List<Path> directories = new ArrayList<>();
    // As with other files, a later directory wins.
    named.forEach(directory -> directories.add(0, directory));
    sparkDirectory(environment).ifPresent(directories::add);
    return directories;
  }

  /** As Spark itself chooses it. */
  private static Optional<Path> sparkDirectory(Map<String, String> environment) {
    return Optional.ofNullable(environment.get("SPARK_CONF_DIR"))
        .map(Path::of)
        .or(() -> home(environment).map(home -> home.resolve("conf")));
  }

  static Optional<Path> home(Map<String, String> environment) {
    return Optional.ofNullable(environment.get("SPARK_HOME")).map(Path::of);
  }

  static Optional<SparkDefaults> read(List<Path> directories) throws IOException {
    for (Path directory : directories) {
      Path file = directory.resolve(NAME);
      if (Files.isRegularFile(file)) {
        Properties read = new Properties();
        try (Reader reader = Files.newBufferedReader(file)) {
          read.load(reader);
        }
        Map<String, String> settings = new TreeMap<>();
        read.stringPropertyNames().forEach(it -> settings.put(it, read.getProperty(it).trim()));
        return Optional.of(new SparkDefaults(file, settings));
      }
    }
    return Optional.empty();
  }

  /**
   * Adds what files in some directories say about file systems and the committer; what was typed
   * stays. A later directory wins.
   *
   * @throws InputException if a file cannot be read
   */
  public static Configuration added(Configuration base, List<Path> directories) {
    Configuration conf = new Configuration(base);
    for (Path directory : directories) {
      try {
        read(List.of(directory)).ifPresent(spark -> spark.addTo(conf, base));
      } catch (IOException e) {
        throw new InputException(
            "ZR-9110: " + directory.resolve(NAME) + " cannot be read: " + e.getMessage(), e);
      }
    }
    return conf;
  }

  private void addTo(Configuration conf, Configuration base) {
    for (Map.Entry<String, String> setting : hadoop()) {
      String key = setting.getKey();
      if (FOR_COMMANDS.matcher(key).matches() && !isTyped(key, base)) {
        conf.set(key, setting.getValue(), file.toString());
      }
    }
  }

  private static boolean isTyped(String key, Configuration conf) {
    String[] sources = conf.getPropertySources(key);
    return sources != null && sources[sources.length - 1].equals("programmatically");
  }

  String get(String key) {
    return settings.getOrDefault(key, "");
  }

  /** Hadoop's settings in it, and no others. */
  Configuration hadoop() {
    Configuration conf = new Configuration(false);
    settings.forEach(
        (key, value) -> {
          if (key.startsWith(HADOOP)) {
            conf.set(key.substring(HADOOP.length()), value, file.toString());
          }
        });
    return conf;
  }
}
