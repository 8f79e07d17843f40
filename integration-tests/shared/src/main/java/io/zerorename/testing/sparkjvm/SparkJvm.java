package io.zerorename.testing.sparkjvm;

import io.zerorename.testing.docs.SourceTree;
import io.zerorename.testing.process.Await;
import io.zerorename.testing.process.ChildJvm;
import io.zerorename.testing.process.Kill;
import io.zerorename.testing.s3server.FaultRule;
import io.zerorename.testing.s3server.S3Access;
import io.zerorename.testing.s3server.S3Gateway;
import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * A Spark with the class path of the module that tests Spark, which no other module can share, and
 * with a metastore of Hive's in its memory.
 */
public final class SparkJvm implements Closeable {
  private static final Duration PATIENCE = Duration.ofHours(1);

  private final ChildJvm jvm;
  private int answered;

  private SparkJvm(ChildJvm jvm) {
    this.jvm = jvm;
  }

  /**
   * Starts it, with the extensions that plan nothing as long as a session has another commit
   * protocol.
   *
   * @param main the class that answers lines
   * @param directory for what Spark keeps on local disk
   * @param log of Spark
   * @param more settings of Spark
   * @throws IOException if its module was not built, or it does not start
   */
  public static SparkJvm start(
      String main, S3Access access, Path directory, Path log, Map<String, String> more)
      throws IOException {
    return start(command(main, access, directory, more), log);
  }

  /** Starts one of {@link #command(String, S3Access, Path, Map)}. */
  public static SparkJvm start(ChildJvm.Command command, Path log) throws IOException {
    SparkJvm spark = new SparkJvm(ChildJvm.start(command, log));
    try {
      spark.await("ready"::equals);
      return spark;
    } catch (IOException e) {
      spark.close();
      throw e;
    }
  }

  /** What {@link #start(String, S3Access, Path, Path, Map)} starts. */
  public static ChildJvm.Command command(
      String main, S3Access access, Path directory, Map<String, String> more) throws IOException {
    Map<String, String> settings = settings(access.settings(), directory);
    settings.putAll(more);
    return command(main)
        .withOptions(
            List.of("-Xmx1500m", "-XX:+ExitOnOutOfMemoryError", "-Dderby.system.home=" + directory))
        .withArguments(
            settings.entrySet().stream().map(it -> it.getKey() + "=" + it.getValue()).toList())
        .withEnvironment(access.environment());
  }

  /**
   * A JVM with the class path of the module that tests Spark.
   *
   * @throws IOException if it was not built
   */
  public static ChildJvm.Command command(String main) throws IOException {
    Path module = module();
    Path classPath = module.resolve("run/classpath");
    if (!Files.exists(classPath)) {
      throw new IOException(
          classPath
              + " is not there: Spark's part of the build did not run. The scripts ./demo and"
              + " ./benchmark build it");
    }
    return new ChildJvm.Command(
        main,
        classes() + ":" + Files.readString(classPath).strip(),
        List.of("@" + module.resolve("run/java.args")),
        List.of(),
        Map.of());
  }

  /** The directory of the test classes of that module. */
  public static Path classes() {
    return module().resolve("test-classes");
  }

  private static Path module() {
    return SourceTree.root().resolve("integration-tests/spark/writes/target");
  }

  private static Map<String, String> settings(Map<String, String> s3a, Path directory) {
    Map<String, String> settings = new TreeMap<>();
    s3a.forEach((name, value) -> settings.put("spark.hadoop." + name, value));
    settings.put("spark.master", "local[4]");
    // The process that was killed before has nothing under way.
    settings.put("spark.hadoop.zerorename.recovery.patience", "0");
    settings.put("spark.ui.enabled", "false");
    settings.put("spark.driver.host", "127.0.0.1");
    settings.put("spark.driver.bindAddress", "127.0.0.1");
    settings.put("spark.local.dir", directory.resolve("spark").toString());
    settings.put("spark.sql.extensions", "io.zerorename.spark.ZeroRenameExtensions");
    settings.put("spark.sql.catalogImplementation", "hive");
    settings.put("spark.sql.warehouse.dir", directory.resolve("warehouse").toUri().toString());
    settings.put(
        "spark.hadoop.javax.jdo.option.ConnectionURL", "jdbc:derby:memory:metastore;create=true");
    settings.put("spark.hadoop.datanucleus.schema.autoCreateAll", "true");
    settings.put("spark.hadoop.hive.metastore.schema.verification", "false");
    settings.put("spark.hadoop.hive.exec.dynamic.partition.mode", "nonstrict");
    settings.put("spark.hadoop.hive.exec.max.dynamic.partitions", "2000");
    return settings;
  }

  /**
   * Sends a line and returns the answer.
   *
   * @param last matches the last line of the answer
   * @throws IOException if Spark has ended
   */
  public List<String> ask(String line, Predicate<String> last) throws IOException {
    jvm.send(line);
    return await(last);
  }

  /**
   * Sends a line and kills the process in what it does for it.
   *
   * @param way by which this process alone goes to S3
   */
  public void killIn(String line, Kill kill, S3Gateway way)
      throws IOException, InterruptedException {
    way.faults(kill.of(jvm));
    jvm.send(line);
    jvm.awaitEnd(Await.LIMIT);
    if (!jvm.wasKilled() || jvm.output().size() > answered) {
      throw new AssertionError("not killed " + kill + ": " + jvm.lastOutput());
    }
    way.awaitDisconnected(Await.LIMIT);
    way.faults(FaultRule.NONE);
  }

  private List<String> await(Predicate<String> last) throws IOException {
    try {
      List<String> answer = jvm.await(answered, last, PATIENCE);
      answered += answer.size();
      return answer;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("Interrupted while Spark was at work");
    } catch (AssertionError e) {
      throw new IOException("Spark does not answer: " + e.getMessage(), e);
    }
  }

  @Override
  public void close() throws IOException {
    jvm.close();
  }
}
