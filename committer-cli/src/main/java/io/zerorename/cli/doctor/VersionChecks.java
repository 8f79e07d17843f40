package io.zerorename.cli.doctor;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import org.apache.hadoop.util.VersionInfo;

/** Whether the tests have run on what is on the class path. */
final class VersionChecks {
  /** What the tests run on, each with the oldest line of which we know no reason against it. */
  enum Platform {
    HADOOP("Hadoop", "3.4.1, 3.4.3, 3.5.0", 3, 4),
    HIVE("Hive", "4.1.0", 4, 0),
    AWS_SDK("AWS SDK for Java", "2.29.52, 2.35.4", 2, 24);

    private final String title;
    private final String tested;
    private final int major;
    private final int minor;

    Platform(String title, String tested, int major, int minor) {
      this.title = title;
      this.tested = tested;
      this.major = major;
      this.minor = minor;
    }

    /** What to say of a version of it. */
    Finding judge(String version) {
      String tests = "the tests run on " + tested;
      if (List.of(tested.split(", ", -1)).contains(version)) {
        return Finding.ok(title + " " + version);
      }
      String[] numbers = version.split("[^0-9]+", 3);
      if (numbers.length < 2 || numbers[0].isEmpty()) {
        return Finding.notChecked(title + " calls its version " + version + "; " + tests);
      }
      int itsMajor = Integer.parseInt(numbers[0]);
      int itsMinor = Integer.parseInt(numbers[1]);
      boolean older = itsMajor < major || (itsMajor == major && itsMinor < minor);
      return older
          ? Finding.wrong(
              title + " " + version + " is older than " + major + "." + minor + "; " + tests)
          : Finding.warning(title + " " + version + " has not been tried; " + tests);
    }
  }

  private final ClassLoader classPath;

  VersionChecks(ClassLoader classPath) {
    this.classPath = requireNonNull(classPath, "classPath");
  }

  List<Check> all() {
    return List.of(
        new Check("hadoop-version", () -> Platform.HADOOP.judge(VersionInfo.getVersion())),
        new Check("aws-sdk-version", this::sdk),
        new Check("hive-version", this::hive));
  }

  private Finding sdk() {
    try {
      // A constant: the compiler would copy the one that it sees.
      Object version =
          Class.forName("software.amazon.awssdk.core.util.VersionInfo", true, classPath)
              .getField("SDK_VERSION")
              .get(null);
      return Platform.AWS_SDK.judge(String.valueOf(version));
    } catch (ReflectiveOperationException e) {
      return Finding.wrong(
          "the AWS SDK, version 2, is not on the class path; it comes with hadoop-aws");
    }
  }

  private Finding hive() throws IOException {
    for (String module : List.of("hive-exec", "hive-common")) {
      Optional<String> version =
          mavenVersion("META-INF/maven/org.apache.hive/" + module + "/pom.properties");
      if (version.isPresent()) {
        return Platform.HIVE.judge(version.get());
      }
    }
    return Finding.notChecked("Hive is not on the class path of this command");
  }

  private Optional<String> mavenVersion(String resource) throws IOException {
    URL url = classPath.getResource(resource);
    if (url == null) {
      return Optional.empty();
    }
    Properties properties = new Properties();
    try (InputStream in = url.openStream()) {
      properties.load(in);
    }
    return Optional.ofNullable(properties.getProperty("version"));
  }
}
