package io.zerorename.testing.spark;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.apache.spark.sql.functions.col;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.spark.SparkConf;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
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
  private final AtomicLong lastTask = new AtomicLong();

  private MeasuredWrites(SparkSession spark) {
    this.spark = spark;
    spark
        .sparkContext()
        .addSparkListener(
            new SparkListener() {
              @Override
              public void onTaskEnd(SparkListenerTaskEnd end) {
                lastTask.accumulateAndGet(end.taskInfo().finishTime(), Math::max);
              }
            });
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
  public static void main(String[] arguments) throws IOException, InterruptedException {
    PrintStream answers = System.out;
    System.setOut(System.err);
    SparkConf conf = new SparkConf(false);
    for (String setting : arguments) {
      String[] words = setting.split("=", 2);
      conf.set(words[0], words[1]);
    }
    MeasuredWrites writes = new MeasuredWrites(SparkSession.builder().config(conf).getOrCreate());
    answers.println("ready");
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, UTF_8));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      answers.println(writes.run(Arrays.asList(line.split("\t"))));
    }
    Runtime.getRuntime().halt(0);
  }

  private String run(List<String> words) throws InterruptedException {
    SparkSession session = spark.newSession();
    for (String setting : words.subList(4, words.size())) {
      String[] parts = setting.split("=", 2);
      session.conf().set(parts[0], parts[1]);
    }
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
    lastTask.set(0);
    long startMillis = System.currentTimeMillis();
    long start = System.nanoTime();
    write.run();
    double total = (System.nanoTime() - start) / 1e9;
    // The end of the last task has been reported by then, or will be at once.
    while (lastTask.get() == 0) {
      Thread.sleep(1);
    }
    double tasks = Math.min(total, (lastTask.get() - startMillis) / 1e3);
    return String.format(Locale.ROOT, "measured %f %f", tasks, total);
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
