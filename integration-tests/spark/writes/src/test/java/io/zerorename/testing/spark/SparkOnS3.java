package io.zerorename.testing.spark;

import static io.zerorename.testing.s3server.RequestType.COMPLETE_MULTIPART_UPLOAD;
import static io.zerorename.testing.s3server.RequestType.PUT_OBJECT;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.testing.docs.SourceTree;
import io.zerorename.testing.s3server.BucketContents;
import io.zerorename.testing.s3server.EmbeddedS3Server;
import io.zerorename.testing.s3server.Fault;
import io.zerorename.testing.s3server.FaultRule;
import io.zerorename.testing.s3server.RequestCounts;
import io.zerorename.testing.s3server.S3Gateway;
import io.zerorename.testing.s3server.S3Request;
import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.spark.SparkBuildInfo;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A Spark and a real S3 server, with the committers for MapReduce or the commit protocol switched
 * on as the documentation says: one for all tests of a class, {@link #reset} before each of them.
 */
final class SparkOnS3 implements BeforeAllCallback, BeforeEachCallback, AfterAllCallback {
  /** Two task threads in this JVM; a task is tried four times. */
  static final String LOCAL = "local[2,4]";

  /** A tag: our committers for MapReduce below Spark's own commit protocol. */
  static final String MAPREDUCE_COMMITTERS = "mapreduce-committers";

  /** A tag: what needs Spark's jar for Hive, which is not published for every version. */
  static final String HIVE_TABLES = "hive-tables";

  /** A tag: what takes long, and runs on one version. */
  static final String ONE_VERSION = "one-version";

  static final String COMMIT_PROTOCOL = "spark.sql.sources.commitProtocolClass";

  static final String CHECKPOINT_MANAGER = "spark.sql.streaming.checkpointFileManagerClass";

  /** A request by which a file appears. */
  static final Predicate<S3Request> COMPLETE = FaultRule.type(COMPLETE_MULTIPART_UPLOAD);

  /** A request by which a write is decided. */
  static final Predicate<S3Request> DECISION =
      FaultRule.type(PUT_OBJECT).and(it -> it.key().contains("/log/") && !it.key().contains("."));

  private static final String BUCKET = "data";

  private final String master;
  private final Function<Path, Map<String, String>> more;
  private EmbeddedS3Server s3;
  private BucketContents bucket;
  private SparkSession spark;
  private Numbers numbers;
  private Path directory;
  private RequestCounts before = RequestCounts.NONE;

  /**
   * @param more settings of Spark, by a directory for what it writes to this machine
   */
  private SparkOnS3(String master, Function<Path, Map<String, String>> more) {
    this.master = master;
    this.more = more;
  }

  /**
   * With the committers for MapReduce.
   *
   * @param master as Spark names it
   * @param more settings of Spark
   */
  static SparkOnS3 withCommitters(String master, Map<String, String> more) {
    return new SparkOnS3(
        master,
        directory -> {
          Map<String, String> settings =
              new TreeMap<>(
                  Map.of(
                      "spark.hadoop.mapreduce.outputcommitter.factory.scheme.s3a",
                      "io.zerorename.magic.mapreduce.MagicCommitterFactory",
                      "spark.hadoop.mapred.output.committer.class",
                      "io.zerorename.magic.mapred.MagicOutputCommitter",
                      "spark.hadoop.zerorename.work.dir",
                      directory.resolve("records").toUri().toString()));
          settings.putAll(more);
          return settings;
        });
  }

  /**
   * With conf-examples/spark-defaults.conf, as a user copies it.
   *
   * @param master as Spark names it
   * @param more settings of Spark
   */
  static SparkOnS3 withCommitProtocol(String master, Map<String, String> more) {
    Properties defaults = new Properties();
    Path file = SourceTree.root().resolve("conf-examples").resolve("spark-defaults.conf");
    try (Reader reader = Files.newBufferedReader(file)) {
      defaults.load(reader);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Map<String, String> settings = new TreeMap<>(more);
    defaults.forEach((key, value) -> settings.put((String) key, ((String) value).trim()));
    settings.computeIfPresent(
        CHECKPOINT_MANAGER, (key, manager) -> manager + (isMovedSpark() ? "41" : ""));
    return new SparkOnS3(master, directory -> settings);
  }

  /** Whether it is 4.1 or later, which has its interface to checkpoints in another package. */
  static boolean isMovedSpark() {
    String[] version = SparkBuildInfo.spark_version().split("\\.", -1);
    return 100 * Integer.parseInt(version[0]) + Integer.parseInt(version[1]) >= 401;
  }

  /** The same with a metastore of Hive in this JVM. */
  static SparkOnS3 withHive(Map<String, String> more) {
    Map<String, String> settings = new TreeMap<>(more);
    settings.putAll(
        Map.of(
            "spark.sql.catalogImplementation",
            "hive",
            "spark.hadoop.javax.jdo.option.ConnectionURL",
            "jdbc:derby:memory:" + UUID.randomUUID() + ";create=true",
            "spark.hadoop.datanucleus.schema.autoCreateAll",
            "true",
            "spark.hadoop.hive.metastore.schema.verification",
            "false",
            "spark.hadoop.hive.exec.dynamic.partition.mode",
            "nonstrict"));
    return withCommitProtocol(LOCAL, settings);
  }

  /** Settings of executors with the class path of this JVM. */
  static Map<String, String> executors() {
    return Map.of(
        "spark.executor.memory",
        "512m",
        "spark.executor.extraClassPath",
        System.getProperty("java.class.path"),
        "spark.executor.extraJavaOptions",
        "-Dzerorename.test.process=executor -XX:+UseSerialGC -XX:TieredStopAtLevel=1");
  }

  @Override
  public void beforeAll(ExtensionContext context) throws IOException {
    start();
  }

  void start() throws IOException {
    // Executors want to find it.
    Files.createDirectories(Path.of(System.getenv("SPARK_HOME"), "jars"));
    s3 = EmbeddedS3Server.start();
    bucket = s3.createBucket(BUCKET);
    directory = Files.createTempDirectory("zerorename-spark-");
    SparkConf conf =
        new SparkConf(false)
            .setMaster(master)
            .setAppName("zero-rename committer")
            .set("spark.ui.enabled", "false")
            .set("spark.driver.host", "127.0.0.1")
            .set("spark.driver.bindAddress", "127.0.0.1")
            .set("spark.local.dir", directory.resolve("local").toString())
            .set("spark.sql.warehouse.dir", directory.resolve("warehouse").toUri().toString())
            .set("spark.sql.shuffle.partitions", "2")
            // Writes run one after the other, so that what has not ended is not under way.
            .set("spark.hadoop.zerorename.recovery.patience", "0")
            // Every minute by default: its requests for the state of earlier queries would be
            // counted with those of the query under test.
            .set("spark.sql.streaming.stateStore.maintenanceInterval", "1d");
    s3.hadoopSettings().forEach((key, value) -> conf.set("spark.hadoop." + key, value));
    more.apply(directory).forEach(conf::set);
    spark = SparkSession.builder().config(conf).getOrCreate();
    numbers = new Numbers(spark);
  }

  SparkSession spark() {
    return spark;
  }

  Numbers numbers() {
    return numbers;
  }

  /** The settings of this Spark for another one, as {@code name=value}. */
  List<String> settings() {
    return Stream.of(spark.sparkContext().getConf().getAll())
        .filter(it -> !it._1().startsWith("spark.app."))
        .map(it -> it._1() + "=" + it._2())
        .toList();
  }

  JavaSparkContext context() {
    return new JavaSparkContext(spark.sparkContext());
  }

  S3Gateway gateway() {
    return s3.gateway();
  }

  BucketContents bucket() {
    return bucket;
  }

  /** A directory of this machine that every process of this Spark sees. */
  Path directory() {
    return directory;
  }

  /** The name of an object, or of what begins with it. */
  String s3a(String key) {
    return "s3a://" + BUCKET + "/" + key;
  }

  /** Empties the bucket, lets the server answer as it should, and counts requests from here. */
  void reset() {
    gateway().faults(FaultRule.NONE);
    bucket.clear("");
    countFromHere();
  }

  void countFromHere() {
    before = gateway().counts();
  }

  /** What was asked of S3 since {@link #countFromHere}. */
  RequestCounts requests() {
    return gateway().counts().minus(before);
  }

  /** The names of objects that readers take for data. */
  List<String> dataFiles(String prefix) {
    return bucket.files(prefix).stream()
        .filter(
            key ->
                Stream.of(key.substring(prefix.length()).split("/"))
                    .noneMatch(name -> name.startsWith("_") || name.startsWith(".")))
        .toList();
  }

  /** The lines of all data files, in order. */
  List<String> lines(String prefix) {
    return dataFiles(prefix).stream()
        .flatMap(key -> new String(bucket.read(key), UTF_8).lines())
        .sorted()
        .toList();
  }

  /** That {@code _SUCCESS} is ours. */
  void assertCommittedByUs(String directoryKey) {
    assertThat(success(directoryKey)).contains("\"committer\" : \"zerorename\"");
    assertNoneCopiedNonePending();
  }

  void assertNoneCopiedNonePending() {
    assertThat(requests().copies()).isZero();
    assertThat(bucket.pendingUploads("")).isEmpty();
  }

  /** What a reader saw when the first new file was to appear. */
  CommitWatch watched(String prefix, Runnable write) {
    CommitWatch watch = new CommitWatch(bucket, prefix);
    gateway().faults(watch);
    write.run();
    return watch;
  }

  /** Breaks a write off behind its decision, before any of its files is there. */
  void breakBeforeAnythingIsVisible(Runnable write) {
    gateway().faults(FaultRule.always(COMPLETE, Fault.accessDenied()));
    assertThatThrownBy(write::run).hasStackTraceContaining("zerorename recover");
    gateway().faults(FaultRule.NONE);
  }

  /** In a thread that has nothing of the caller's execution. */
  static CompletableFuture<Void> inBackground(Runnable write) {
    return CompletableFuture.runAsync(write, task -> new Thread(task).start());
  }

  /** With settings of the session. */
  void with(Map<String, String> settings, Runnable action) {
    settings.forEach(spark.conf()::set);
    try {
      action.run();
    } finally {
      settings.keySet().forEach(spark.conf()::unset);
    }
  }

  /** With a table {@code t} at the key {@code t}. */
  void withTable(String columns, Consumer<String> test) {
    spark.sql("CREATE TABLE t " + columns + " LOCATION '" + s3a("t") + "'");
    try {
      test.accept("t");
    } finally {
      spark.sql("DROP TABLE t");
    }
  }

  String success(String directoryKey) {
    return new String(bucket.read(directoryKey + "/_SUCCESS"), UTF_8);
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    reset();
  }

  @Override
  public void afterAll(ExtensionContext context) throws IOException {
    close();
  }

  void close() throws IOException {
    spark.stop();
    FileSystem.closeAll();
    s3.close();
    try (Stream<Path> walk = Files.walk(directory)) {
      for (Path path : walk.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(path);
      }
    }
  }
}
