package io.zerorename.testing.spark;

import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeoutException;
import org.apache.spark.HashPartitioner;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.api.java.Optional;
import org.apache.spark.api.java.function.VoidFunction2;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.streaming.Duration;
import org.apache.spark.streaming.Durations;
import org.apache.spark.streaming.api.java.JavaPairDStream;
import org.apache.spark.streaming.api.java.JavaStreamingContext;
import org.apache.spark.streaming.scheduler.StreamingListener;
import org.apache.spark.streaming.scheduler.StreamingListenerBatchCompleted;
import scala.Tuple2;

/** A Spark in a JVM of its own whose checkpoints somebody measures. */
final class MeasuredBatches {
  /** Before the first one that is measured, so that each deletes what is old. */
  private static final int WARM_UP = 6;

  /** Between the batches of a DStream. */
  private static final Duration INTERVAL = Durations.milliseconds(100);

  private final SparkSession spark;
  private final Semaphore arrived = new Semaphore(0);
  private final Semaphore go = new Semaphore(0);
  private final Path input;
  private End end;

  private MeasuredBatches(SparkSession spark) {
    this.spark = spark;
    try {
      this.input = Files.createTempDirectory("input");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Of what was begun. */
  @FunctionalInterface
  private interface End {
    void stop() throws TimeoutException;
  }

  /**
   * Answers {@code ready}; then lines, whose words have a tab between them.
   *
   * <ul>
   *   <li>{@code begin}, {@code stateless}, {@code stateful} or {@code dstream}, the checkpoint's
   *       place, and settings as {@code name=value}: starts a query, which stops in the midst of a
   *       batch, or a DStream, which does not stop
   *   <li>{@code batches} and a number: waits for so many more, and answers {@code measured} with
   *       the seconds
   *   <li>{@code end}: ends the query or the DStream
   *   <li>{@code rdd}, the place, and a number of partitions: writes the checkpoint of an RDD, and
   *       answers as {@code batches}
   * </ul>
   *
   * @param arguments settings of Spark as {@code name=value}
   */
  public static void main(String[] arguments) throws IOException {
    LineServer.run(
        arguments,
        spark -> {
          MeasuredBatches batches = new MeasuredBatches(spark);
          return (line, answers) -> batches.answer(Arrays.asList(line.split("\t", -1)), answers);
        });
  }

  private void answer(List<String> words, PrintStream answers) {
    try {
      switch (words.get(0)) {
        case "begin" -> {
          if (words.get(1).equals("dstream")) {
            beginDStream(words.get(2));
          } else {
            begin(words);
          }
          answers.println("begun");
        }
        case "batches" -> answers.println(measured(Integer.parseInt(words.get(1))));
        case "end" -> {
          end.stop();
          answers.println("ended");
        }
        case "rdd" -> answers.println(rdd(words.get(1), Integer.parseInt(words.get(2))));
        default -> throw new IllegalArgumentException("no such line: " + words);
      }
    } catch (TimeoutException e) {
      throw new IllegalStateException(e);
    }
  }

  private void begin(List<String> words) throws TimeoutException {
    SparkSession session = LineServer.session(spark, words.subList(3, words.size()));
    session.conf().set("spark.sql.streaming.minBatchesToRetain", "2");
    session.conf().set("spark.sql.shuffle.partitions", "4");
    Dataset<Row> rows =
        session.readStream().format("rate-micro-batch").option("rowsPerBatch", 100).load();
    if (words.get(1).equals("stateful")) {
      rows = rows.selectExpr("value % 1000 AS remainder").groupBy("remainder").count();
    }
    go.drainPermits();
    arrived.drainPermits();
    VoidFunction2<Dataset<Row>, Long> wait =
        (batch, id) -> {
          batch.collect();
          arrived.release();
          go.acquire();
        };
    StreamingQuery query =
        rows.writeStream()
            .outputMode("update")
            .foreachBatch(wait)
            .option("checkpointLocation", words.get(2))
            .start();
    end = query::stop;
    go.release(WARM_UP);
    arrived.acquireUninterruptibly(WARM_UP + 1);
  }

  /** Counts of a thousand keys, which no batch changes. */
  // DStreams are deprecated, and still in use.
  @SuppressWarnings("deprecation")
  private void beginDStream(String place) {
    JavaSparkContext context = new JavaSparkContext(spark.sparkContext());
    JavaStreamingContext streaming = new JavaStreamingContext(context, INTERVAL);
    streaming.checkpoint(place);
    JavaPairRDD<Long, Long> counts =
        spark.range(0, 1_000, 1, 4).javaRDD().mapToPair(it -> new Tuple2<>(it, 1L));
    JavaPairDStream<Long, Long> state =
        streaming
            .textFileStream(input.toUri().toString())
            .mapToPair(line -> new Tuple2<>(Long.valueOf(line), 1L))
            .updateStateByKey(
                (more, before) -> Optional.of(before.or(0L) + more.size()),
                new HashPartitioner(4),
                counts);
    state.checkpoint(INTERVAL.times(5));
    state.foreachRDD(rdd -> rdd.count());
    arrived.drainPermits();
    streaming.addStreamingListener(
        new StreamingListener() {
          @Override
          public void onBatchCompleted(StreamingListenerBatchCompleted batch) {
            arrived.release();
          }
        });
    end = () -> streaming.stop(false, false);
    streaming.start();
    arrived.acquireUninterruptibly(WARM_UP);
  }

  private String measured(int batches) {
    long start = System.nanoTime();
    go.release(batches);
    arrived.acquireUninterruptibly(batches);
    return measured(start);
  }

  private static String measured(long start) {
    return String.format(Locale.ROOT, "measured %f", (System.nanoTime() - start) / 1e9);
  }

  private String rdd(String place, int partitions) {
    JavaSparkContext context = new JavaSparkContext(spark.sparkContext());
    JavaRDD<Long> rows =
        spark.range(0, 100L * partitions, 1, partitions).javaRDD().map(it -> it * 2).cache();
    long start = System.nanoTime();
    context.setCheckpointDir(place);
    rows.checkpoint();
    rows.count();
    return measured(start);
  }
}
