package io.zerorename.testing.spark;

import java.io.IOException;
import org.apache.spark.sql.SaveMode;

/** A driver in a JVM of its own, which overwrites a table when told to, and may be killed. */
final class DriverProcess {
  static final String DONE = "done";

  private DriverProcess() {}

  /**
   * Answers {@value LineServer#READY}, and for each line with the place of a table {@value #DONE}.
   *
   * @param arguments settings as {@code name=value}
   */
  public static void main(String[] arguments) throws IOException {
    LineServer.run(
        arguments,
        spark -> {
          Numbers numbers = new Numbers(spark);
          return (table, answers) -> {
            numbers
                .rows(1_000, 1_100)
                .write()
                .format("csv")
                .partitionBy("p")
                .mode(SaveMode.Overwrite)
                .save(table);
            answers.println(DONE);
          };
        });
  }
}
