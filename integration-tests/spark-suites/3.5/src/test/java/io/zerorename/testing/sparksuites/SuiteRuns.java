package io.zerorename.testing.sparksuites;

import io.zerorename.testing.process.ChildJvm;
import io.zerorename.testing.sparksuites.TestRun.Requests;
import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
import org.scalatest.tools.Runner;

/** Runs suites of Spark's, each in a process of its own, on a {@link DirectoryOnS3}. */
final class SuiteRuns implements Closeable {
  private static final Duration PATIENCE = Duration.ofMinutes(40);

  private final Path directory;
  private final DirectoryOnS3 onS3;
  private final String classPath;
  private final Path agent;
  private int number;

  /**
   * @param directory for class path, logs and events, which stay there
   */
  SuiteRuns(Path directory, DirectoryOnS3 onS3) throws IOException {
    this.directory = Files.createDirectories(directory);
    this.onS3 = onS3;
    Path conf = Files.createDirectories(directory.resolve("conf"));
    Files.writeString(conf.resolve("core-site.xml"), onS3.coreSite());
    this.classPath = conf + File.pathSeparator + withTestJarsUnpacked();
    this.agent = agentJar(directory);
  }

  /**
   * Runs a suite.
   *
   * @param settings of Spark
   * @param tests which of its tests; none means all
   * @return by name those that ran, in their order
   * @throws IOException also where the suite did not come to its end
   */
  Map<String, TestRun> run(String suite, Map<String, String> settings, Collection<String> tests)
      throws IOException, InterruptedException {
    onS3.clear();
    Path work = Files.createDirectories(onS3.path().resolve("work"));
    String name = suite.substring(suite.lastIndexOf('.') + 1) + "-" + ++number;
    Path events = Files.writeString(directory.resolve(name + ".events"), "");
    List<String> options = new ArrayList<>();
    settings.forEach((key, value) -> options.add("-D" + key + "=" + value));
    options.addAll(
        List.of(
            "-javaagent:" + agent,
            "-D" + DirectoryOnS3Agent.DIRECTORY + "=" + onS3.path(),
            "-D" + DirectoryOnS3Agent.BUCKET + "=" + onS3.bucketUri(),
            "-D" + TestEvents.FILE + "=" + events,
            "-Djava.io.tmpdir=" + onS3.path(),
            "-Duser.timezone=America/Los_Angeles",
            "-Dspark.testing=true",
            "-Dspark.test.home=" + work,
            "-Dspark.ui.enabled=false",
            "-Dderby.system.durability=test",
            "-Xmx2560m",
            "-Xss4m",
            "-XX:TieredStopAtLevel=1",
            // With 48 MB, the default of one compiler, it compiles what it has just thrown away.
            "-XX:ReservedCodeCacheSize=256m",
            "-XX:+UseSerialGC",
            "-XX:+ExitOnOutOfMemoryError"));
    List<String> arguments =
        new ArrayList<>(List.of("-C", TestEvents.class.getName(), "-oW", "-s", suite));
    tests.forEach(test -> arguments.addAll(List.of("-t", test)));
    TimedRequests requests = new TimedRequests();
    onS3.gateway().faults(requests);
    ChildJvm.Command command =
        new ChildJvm.Command(
                Runner.class.getName(),
                classPath,
                options,
                arguments,
                Map.of("SPARK_TESTING", "1", "SPARK_LOCAL_IP", "127.0.0.1"))
            .withModulesOpen();
    try (ChildJvm jvm = ChildJvm.start(command, work.resolve("log"))) {
      jvm.awaitEnd(PATIENCE);
      Files.write(directory.resolve(name + ".out"), jvm.output());
    } finally {
      Files.move(work.resolve("log"), directory.resolve(name + ".log"));
    }
    return read(name, Files.readAllLines(events), requests);
  }

  private static Map<String, TestRun> read(String name, List<String> events, TimedRequests requests)
      throws IOException {
    Map<String, TestRun> runs = new LinkedHashMap<>();
    String end = "no event";
    long started = 0;
    for (String line : events) {
      String[] event = line.split("\t", 4);
      long millis = Long.parseLong(event[0]);
      if (event[1].equals(TestEvents.STARTED)) {
        started = millis;
      } else if (event[1].equals(TestEvents.PASSED) || event[1].equals(TestEvents.FAILED)) {
        boolean passed = event[1].equals(TestEvents.PASSED);
        Requests then = requests.between(started, millis);
        runs.put(event[2], new TestRun(passed, event[3], then));
      } else if (event[1].equals(TestEvents.ABORTED)) {
        throw new IOException(name + " was aborted: " + event[3]);
      }
      end = event[1];
    }
    if (!end.equals(TestEvents.COMPLETED)) {
      throw new IOException(name + " ended after " + end + "; see its .out and .log");
    }
    return runs;
  }

  /** Suites open resources of theirs as files. */
  private String withTestJarsUnpacked() throws IOException {
    List<String> elements = new ArrayList<>();
    for (String element : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
      elements.add(element.endsWith("-tests.jar") ? unpacked(Path.of(element)) : element);
    }
    return String.join(File.pathSeparator, elements);
  }

  private String unpacked(Path jar) throws IOException {
    Path to = directory.resolve("test-jars").resolve(jar.getFileName());
    if (!Files.isDirectory(to)) {
      try (JarFile file = new JarFile(jar.toFile())) {
        for (JarEntry entry : file.stream().collect(Collectors.toList())) {
          Path path = to.resolve(entry.getName());
          if (entry.isDirectory()) {
            Files.createDirectories(path);
          } else {
            Files.createDirectories(path.getParent());
            try (InputStream in = file.getInputStream(entry)) {
              Files.copy(in, path);
            }
          }
        }
      }
    }
    return to.toString();
  }

  /** A jar that names the agent, which itself is on the class path. */
  private static Path agentJar(Path directory) throws IOException {
    Manifest manifest = new Manifest();
    Attributes attributes = manifest.getMainAttributes();
    attributes.put(Attributes.Name.MANIFEST_VERSION, "1.0");
    attributes.putValue("Premain-Class", DirectoryOnS3Agent.class.getName());
    attributes.putValue("Can-Retransform-Classes", "true");
    attributes.putValue("Can-Redefine-Classes", "true");
    Path jar = directory.resolve("agent.jar");
    new JarOutputStream(Files.newOutputStream(jar), manifest).close();
    return jar;
  }

  @Override
  public void close() throws IOException {
    onS3.close();
  }
}
