package io.zerorename.cli;

import io.zerorename.cli.command.InputException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;

/**
 * Loads the cluster's configuration: what the command {@code hadoop} finds on its class path, then
 * the directories that the user names, then the single properties.
 */
final class Settings {
  /** Later ones win. Tools that read more than core-site.xml load the others when they start. */
  private static final List<String> FILES =
      List.of(
          "core-site.xml",
          "hdfs-site.xml",
          "mapred-site.xml",
          "yarn-site.xml",
          "tez-site.xml",
          "hive-site.xml");

  private Settings() {}

  /** Those of the class path. */
  static Configuration ofClassPath() {
    Configuration conf = new Configuration();
    // core-site.xml is there by default. One that is not there is left out.
    FILES.stream().skip(1).forEach(conf::addResource);
    return conf;
  }

  /**
   * With what the user has typed.
   *
   * @throws InputException where a directory has none of the files
   */
  static Configuration with(
      Configuration base, List<Path> directories, Map<String, String> values) {
    Configuration conf = new Configuration(base);
    for (Path directory : directories) {
      List<Path> files =
          FILES.stream().map(directory::resolve).filter(Files::isRegularFile).toList();
      if (files.isEmpty()) {
        throw new InputException(
            "--conf-dir "
                + directory
                + " has none of "
                + String.join(", ", FILES)
                + "; name a directory with Hadoop's or Hive's configuration files");
      }
      files.forEach(file -> add(file, conf));
    }
    values.forEach(conf::set);
    return conf;
  }

  private static void add(Path file, Configuration conf) {
    try {
      conf.addResource(new org.apache.hadoop.fs.Path(file.toUri()));
      // Hadoop may read a file no sooner than it is asked for a property.
      conf.size();
    } catch (RuntimeException e) {
      throw new InputException(file + " cannot be read: " + e.getMessage(), e);
    }
  }
}
