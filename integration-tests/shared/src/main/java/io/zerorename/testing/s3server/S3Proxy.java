package io.zerorename.testing.s3server;

import io.zerorename.testing.process.ChildJvm;
import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Starts S3Proxy in a process of its own, which ends no later than this one. */
final class S3Proxy {
  /** Where the build puts S3Proxy's jar, relative to a module. */
  static final Path BUILT_JAR = Path.of("target", "s3proxy", "s3proxy.jar");

  /** In its directory. */
  static final String DATA = "data";

  static final String JAR_PROPERTY = "zerorename.s3proxy.jar";

  /**
   * An option for the server's JVM. Tests are over before the second compiler pays. Only that one
   * hashes by the processor's instructions, and the server hashes each byte twice: in the benchmark
   * it would measure mostly that.
   */
  private static final String COMPILER_PROPERTY = "zerorename.s3proxy.compiler";

  private static final Pattern PORT =
      Pattern.compile("Started .*ServerConnector.*\\{127\\.0\\.0\\.1:(\\d+)}");

  private S3Proxy() {}

  /**
   * Starts S3Proxy over a directory and waits until it answers.
   *
   * @param further settings of its own
   */
  static ServerProcess start(
      Path workDirectory, String accessKey, String secretKey, String... further)
      throws IOException {
    List<String> settings = new ArrayList<>(List.of(further));
    settings.add("s3proxy.authorization=aws-v2-or-v4");
    settings.add("s3proxy.identity=" + accessKey);
    settings.add("s3proxy.credential=" + secretKey);
    return start(workDirectory, settings);
  }

  /** The same, for everybody: it checks no signatures. */
  static ServerProcess start(Path workDirectory) throws IOException {
    return start(workDirectory, List.of("s3proxy.authorization=none"));
  }

  private static ServerProcess start(Path workDirectory, List<String> settings) throws IOException {
    Path data = Files.createDirectories(workDirectory.resolve(DATA));
    Path properties = workDirectory.resolve("s3proxy.properties");
    Files.writeString(
        properties,
        String.join(
            "\n",
            "s3proxy.endpoint=http://127.0.0.1:0",
            String.join("\n", settings),
            "jclouds.provider=filesystem-nio2",
            "jclouds.filesystem.basedir=" + data,
            ""));
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(ChildJvm.UNVERIFIED);
    command.addAll(
        List.of(
            "-Xmx512m",
            "-XX:+UseSerialGC",
            System.getProperty(COMPILER_PROPERTY, "-XX:TieredStopAtLevel=1"),
            "-Djava.io.tmpdir=" + workDirectory,
            "-cp",
            jar() + File.pathSeparator + ownClasses(),
            S3ProxyLauncher.class.getName(),
            "--properties",
            properties.toString()));
    return ServerProcess.start(new ProcessBuilder(command), PORT);
  }

  private static Path jar() throws IOException {
    String property = System.getProperty(JAR_PROPERTY);
    List<Path> candidates =
        property != null
            ? List.of(Path.of(property))
            : List.of(BUILT_JAR, Path.of("committer-core").resolve(BUILT_JAR));
    return candidates.stream()
        .filter(Files::isRegularFile)
        .findFirst()
        .map(Path::toAbsolutePath)
        .orElseThrow(
            () ->
                new IOException(
                    "S3Proxy's jar is not at "
                        + candidates
                        + ", where the build copies it in the phase generate-test-resources. Run"
                        + " mvn test-compile, or name the jar with -D"
                        + JAR_PROPERTY));
  }

  private static Path ownClasses() throws IOException {
    try {
      return Path.of(
          S3ProxyLauncher.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new IOException("the location of this class is not a path", e);
    }
  }
}
