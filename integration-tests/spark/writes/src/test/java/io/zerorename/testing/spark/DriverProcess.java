package io.zerorename.testing.spark;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import org.apache.spark.SparkConf;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.SparkSession;

/** A driver in a JVM of its own, which overwrites a table when told to, and may be killed. */
final class DriverProcess {
  static final String READY = "ready";
  static final String DONE = "done";

  private DriverProcess() {}

  /**
   * Answers {@value #READY}, and for each line with the place of a table {@value #DONE}.
   *
   * @param arguments settings as {@code name=value}
   */
  public static void main(String[] arguments) throws IOException {
    PrintStream answers = System.out;
    System.setOut(System.err);
    SparkConf conf = new SparkConf(false);
    for (String setting : arguments) {
      String[] words = setting.split("=", 2);
      conf.set(words[0], words[1]);
    }
    SparkSession spark = SparkSession.builder().config(conf).getOrCreate();
    Numbers numbers = new Numbers(spark);
    answers.println(READY);
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, UTF_8));
    for (String table = lines.readLine(); table != null; table = lines.readLine()) {
      numbers
          .rows(1_000, 1_100)
          .write()
          .format("csv")
          .partitionBy("p")
          .option(SparkOnS3.INLINE_MAX_BYTES, 0)
          .mode(SaveMode.Overwrite)
          .save(table);
      answers.println(DONE);
    }
    Runtime.getRuntime().halt(0);
  }
}
