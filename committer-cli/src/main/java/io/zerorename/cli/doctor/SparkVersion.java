package io.zerorename.cli.doctor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The version of the Spark in {@code SPARK_HOME}, by the name of its jar. */
record SparkVersion(int major, int minor) {
  private static final Pattern JAR = Pattern.compile("spark-core_[\\d.]+-(\\d+)\\.(\\d+)\\..*jar");

  /** Empty without {@code SPARK_HOME}, or without such a jar in it. */
  static Optional<SparkVersion> of(Map<String, String> environment) throws IOException {
    Optional<Path> jars =
        SparkDefaults.home(environment).map(it -> it.resolve("jars")).filter(Files::isDirectory);
    if (jars.isEmpty()) {
      return Optional.empty();
    }
    try (Stream<Path> files = Files.list(jars.get())) {
      return files
          .map(file -> JAR.matcher(file.getFileName().toString()))
          .filter(Matcher::matches)
          .map(it -> new SparkVersion(Integer.parseInt(it.group(1)), Integer.parseInt(it.group(2))))
          .findFirst();
    }
  }

  boolean isAtLeast(int otherMajor, int otherMinor) {
    return major > otherMajor || (major == otherMajor && minor >= otherMinor);
  }

  @Override
  public String toString() {
    return major + "." + minor;
  }
}
