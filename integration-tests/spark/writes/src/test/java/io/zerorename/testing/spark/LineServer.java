package io.zerorename.testing.spark;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.util.function.Function;
import org.apache.spark.SparkConf;
import org.apache.spark.sql.SparkSession;

/** The main loop of a Spark in a JVM of its own, which answers lines until its input ends. */
final class LineServer {
  static final String READY = "ready";

  private LineServer() {}

  /** Answers a line by one or more. */
  @FunctionalInterface
  interface Answers {
    void to(String line, PrintStream answers);
  }

  /**
   * Starts Spark, says {@value #READY}, answers, and ends the JVM.
   *
   * @param settings of Spark, as {@code name=value}
   */
  static void run(String[] settings, Function<SparkSession, Answers> start) throws IOException {
    PrintStream answers = System.out;
    System.setOut(System.err);
    SparkConf conf = new SparkConf(false);
    for (String setting : settings) {
      String[] words = setting.split("=", 2);
      conf.set(words[0], words[1]);
    }
    Answers to = start.apply(SparkSession.builder().config(conf).getOrCreate());
    answers.println(READY);
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, UTF_8));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      to.to(line, answers);
    }
    Runtime.getRuntime().halt(0);
  }

  /** A session with settings of its own, as {@code name=value}. */
  static SparkSession session(SparkSession spark, Iterable<String> settings) {
    SparkSession session = spark.newSession();
    for (String setting : settings) {
      String[] words = setting.split("=", 2);
      session.conf().set(words[0], words[1]);
    }
    return session;
  }
}
