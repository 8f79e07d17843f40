package io.zerorename.testing.spark;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;

/**
 * Runs statements at a place of a name, and notes what can be seen after each: its failure, files,
 * rows and partitions, without what is different in each run.
 */
final class NotedRun {
  private static final String UUID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}";

  private final SparkOnS3 s3;
  private final String name;
  private final List<String> seen = new ArrayList<>();

  /**
   * @param name of the table, and of the directory of the bucket with all that is written
   */
  NotedRun(SparkOnS3 s3, String name) {
    this.s3 = s3;
    this.name = name;
  }

  List<String> seen() {
    return seen;
  }

  /** The key of a name in the directory. */
  String key(String name) {
    return this.name + "/" + name;
  }

  String at(String name) {
    return s3.s3a(key(name));
  }

  /** Runs statements, in which each {@code T} is the table and {@code @} the directory. */
  NotedRun sql(String... statements) {
    for (String statement : statements) {
      write(statement, () -> s3.spark().sql(resolve(statement)));
    }
    return this;
  }

  /** Writes by other means than a statement. */
  NotedRun write(String what, Runnable write) {
    String failure = "";
    try {
      write.run();
    } catch (Exception e) {
      // Spark's own exceptions are not declared.
      failure = " fails: " + reason(e);
    }
    note(what + failure);
    note("  files " + files(name + "/"));
    return this;
  }

  /** Reads the table and its partitions. */
  NotedRun table() {
    read("SELECT * FROM T", () -> s3.spark().sql(resolve("SELECT * FROM T")));
    return read("SHOW PARTITIONS T", () -> s3.spark().sql("SHOW PARTITIONS " + name));
  }

  NotedRun read(String format, String directory) {
    return read("read " + directory, () -> s3.spark().read().format(format).load(at(directory)));
  }

  /** All that is in the bucket but the log. */
  NotedRun root() {
    note("  root " + files(""));
    return this;
  }

  private NotedRun read(String what, Supplier<Dataset<Row>> rows) {
    try {
      Dataset<Row> read = rows.get();
      List<String> sorted = read.collectAsList().stream().map(Row::toString).sorted().toList();
      note("  " + what + ": " + read.schema().simpleString() + " " + sorted);
    } catch (Exception e) {
      note("  " + what + " fails: " + reason(e));
    }
    return this;
  }

  private String resolve(String statement) {
    return statement.replaceAll("\\bT\\b", name).replace("@", s3.s3a(name));
  }

  /**
   * Without what is no row: files of no bytes, and the markers that Spark's own inserts into Hive's
   * formats leave in partitions.
   */
  private List<String> files(String prefix) {
    return s3.bucket().objects(prefix).entrySet().stream()
        .filter(file -> file.getValue() > 0 || !file.getKey().contains("/part-"))
        .map(Map.Entry::getKey)
        .filter(key -> !key.endsWith("/") && !key.matches(".*=.*/_SUCCESS"))
        .filter(key -> !key.startsWith("_zerorename/") && !key.contains("/_zerorename/"))
        .map(key -> key.replaceAll("[-._]" + UUID, "").replace("-c000", ".c000"))
        .sorted()
        .toList();
  }

  private void note(String text) {
    seen.add(
        text.replace(name, "T")
            .replaceAll("spark_catalog.default.", "")
            .replaceAll("hive-staging_hive_[^/]+", "hive-staging"));
  }

  private static String reason(Throwable failure) {
    Throwable root = failure;
    while (root.getCause() != null && root.getCause() != root) {
      root = root.getCause();
    }
    String message = String.valueOf(root.getMessage()).lines().findFirst().orElse("");
    return root.getClass().getSimpleName() + ": " + message.replaceAll(UUID, "ID");
  }
}
