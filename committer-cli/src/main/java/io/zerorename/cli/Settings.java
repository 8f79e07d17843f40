package io.zerorename.cli;

import io.zerorename.cli.doctor.SparkDefaults;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;

/** Loads the cluster's configuration: class path, then {@code --conf-dir}, then {@code -D}. */
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

  static Configuration ofClassPath() {
    Configuration conf = new Configuration();
    // core-site.xml is loaded by default. Files that do not exist are ignored.
    FILES.stream().skip(1).forEach(conf::addResource);
    return conf;
  }

  /**
   * With the user's options.
   *
   * @param sparks whether what Spark's file says of file systems is part of it
   * @throws InputException if a directory has none of the files, or one cannot be read
   */
  static Configuration with(
      Configuration base, List<Path> directories, Map<String, String> typed, boolean sparks) {
    Configuration conf = new Configuration(base);
    for (Path directory : directories) {
      List<Path> files =
          FILES.stream().map(directory::resolve).filter(Files::isRegularFile).toList();
      if (files.isEmpty() && !Files.isRegularFile(directory.resolve(SparkDefaults.NAME))) {
        throw new InputException(
            "ZR-9109: --conf-dir %s has none of %s, %s; name a directory with Hadoop's, Hive's or Spark's configuration files"
                .formatted(directory, String.join(", ", FILES), SparkDefaults.NAME));
      }
      files.forEach(file -> add(file, conf));
    }
    for (Path directory : sparks ? directories : List.<Path>of()) {
      try {
        SparkDefaults.addTo(conf, directory);
      } catch (IOException e) {
        throw unreadable(directory.resolve(SparkDefaults.NAME), e);
      }
    }
    typed.forEach(conf::set);
    return conf;
  }

  private static void add(Path file, Configuration conf) {
    try {
      conf.addResource(new org.apache.hadoop.fs.Path(file.toUri()));
      // Hadoop reads a file only when a property is needed.
      conf.size();
    } catch (RuntimeException e) {
      throw unreadable(file, e);
    }
  }

  private static InputException unreadable(Path file, Exception cause) {
    return new InputException("ZR-9110: " + file + " cannot be read: " + cause.getMessage(), cause);
  }
}
