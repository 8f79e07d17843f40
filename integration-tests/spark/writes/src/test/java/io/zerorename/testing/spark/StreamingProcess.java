package io.zerorename.testing.spark;

import java.io.IOException;
import java.util.concurrent.TimeoutException;
import org.apache.spark.sql.streaming.StreamingQueryException;

/** A driver in a JVM of its own, which runs a streaming query when told to, and may be killed. */
final class StreamingProcess {
  static final String DONE = "done";

  private StreamingProcess() {}

  /**
   * Answers {@value LineServer#READY}, and for each line with a {@link Sink}, the input, and the
   * place of the query, with a tab between them, {@value #DONE}, or why the query has failed.
   *
   * @param arguments settings as {@code name=value}
   */
  public static void main(String[] arguments) throws IOException {
    LineServer.run(
        arguments,
        spark ->
            (line, answers) -> {
              String[] words = line.split("\t", -1);
              try {
                Sink.valueOf(words[0]).run(spark, words[1], words[2]);
                answers.println(DONE);
              } catch (StreamingQueryException | TimeoutException e) {
                answers.println("failed: " + e.toString().lines().findFirst().orElse(""));
              }
            });
  }
}
