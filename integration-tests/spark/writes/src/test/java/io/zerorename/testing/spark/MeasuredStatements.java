package io.zerorename.testing.spark;

import java.io.IOException;
import java.io.PrintStream;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/** A Spark in a JVM of its own that runs SQL, for the demo. */
final class MeasuredStatements {
  private final SparkSession spark;
  private final TaskTimes tasks;

  private MeasuredStatements(SparkSession spark) {
    this.spark = spark;
    this.tasks = new TaskTimes(spark.sparkContext());
  }

  /**
   * Answers {@code ready}; then each line by the rows, as {@code row} and the columns with a tab
   * before each, and by {@code ran} with the begin of the first task, the end of the last and that
   * of the statement in milliseconds of the clock; or by {@code failed} and the reason. A line has
   * the statement and settings of the session as {@code name=value}, with a tab between them.
   *
   * @param arguments settings of Spark as {@code name=value}
   */
  public static void main(String[] arguments) throws IOException {
    LineServer.run(arguments, spark -> new MeasuredStatements(spark)::run);
  }

  private void run(String line, PrintStream answers) {
    List<String> words = Arrays.asList(line.split("\t"));
    tasks.reset();
    try {
      SparkSession session = LineServer.session(spark, words.subList(1, words.size()));
      List<Row> rows = session.sql(words.get(0)).collectAsList();
      long end = System.currentTimeMillis();
      tasks.awaitReports();
      rows.forEach(row -> answers.println("row\t" + row.mkString("\t")));
      answers.println("ran " + tasks.begin(end) + " " + tasks.end(end) + " " + end);
    } catch (Exception e) {
      // Spark's own exceptions are not declared.
      e.printStackTrace();
      answers.println("failed " + String.valueOf(e.getMessage()).replaceAll("\\s+", " "));
    }
  }
}
