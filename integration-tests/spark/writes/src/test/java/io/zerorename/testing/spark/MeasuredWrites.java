package io.zerorename.testing.spark;

import static org.apache.spark.sql.functions.col;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.apache.spark.sql.DataFrameWriter;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.SparkSession;

/** A Spark in a JVM of its own, for the benchmark. */
final class MeasuredWrites {
  /** Of each partition: some 100 KB of text, and of Parquet, which cannot compress it. */
  private static final int ROWS = 1_500;

  private static final int TASKS = 4;

  private final SparkSession spark;
  private final TaskTimes tasks;

  private MeasuredWrites(SparkSession spark) {
    this.spark = spark;
    this.tasks = new TaskTimes(spark.sparkContext());
  }

  /**
   * Answers {@code ready}; then each line by one with the seconds until the last task had ended,
   * and in all. A line has the format, the mode ({@code append}, {@code overwrite}, {@code
   * dynamic}), the number of partitions, the place, and settings of the session as {@code
   * name=value}, with a tab between them. The format {@code hive} is a text table of Hive. Each
   * partition gets one file, from one of four tasks, if the settings do not split it.
   *
   * @param arguments settings of Spark as {@code name=value}
   */
  public static void main(String[] arguments) throws IOException {
    LineServer.run(
        arguments,
        spark -> {
          MeasuredWrites writes = new MeasuredWrites(spark);
          return (line, answers) -> answers.println(writes.run(Arrays.asList(line.split("\t"))));
        });
  }

  private String run(List<String> words) {
    SparkSession session = LineServer.session(spark, words.subList(4, words.size()));
    String mode = words.get(1);
    Dataset<Row> rows = rows(session, Integer.parseInt(words.get(2)));
    DataFrameWriter<Row> writer =
        rows.write().mode(mode.equals("append") ? SaveMode.Append : SaveMode.Overwrite);
    Runnable write =
        words.get(0).equals("hive")
            ? intoHiveTable(session, writer, words.get(3))
            : () ->
                writer
                    .format(words.get(0))
                    .partitionBy("p")
                    .option("partitionOverwriteMode", mode.equals("dynamic") ? "dynamic" : "static")
                    .save(words.get(3));
    tasks.reset();
    long startMillis = System.currentTimeMillis();
    long start = System.nanoTime();
    write.run();
    double total = (System.nanoTime() - start) / 1e9;
    tasks.awaitReports();
    double untilLastTask = (tasks.end(Long.MAX_VALUE) - startMillis) / 1e3;
    return String.format(Locale.ROOT, "measured %f %f", Math.min(total, untilLastTask), total);
  }

  private static Runnable intoHiveTable(
      SparkSession session, DataFrameWriter<Row> writer, String place) {
    String table = place.substring(place.lastIndexOf('/') + 1).replace('-', '_');
    session.sql(
        "CREATE TABLE IF NOT EXISTS "
            + table
            + " (id BIGINT, text STRING) PARTITIONED BY (p BIGINT) STORED AS TEXTFILE LOCATION '"
            + place
            + "'");
    return () -> writer.insertInto(table);
  }

  private static Dataset<Row> rows(SparkSession session, int partitions) {
    return session
        .range(0, (long) partitions * ROWS, 1, TASKS)
        .selectExpr("id", "sha2(string(id), 256) AS text", "id % " + partitions + " AS p")
        .repartition(TASKS, col("p"));
  }
}
