package io.zerorename.testing.spark;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.stream.LongStream;
import org.apache.spark.api.java.function.VoidFunction2;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.DataStreamWriter;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.sql.streaming.StreamingQueryException;
import org.apache.spark.sql.streaming.Trigger;

/**
 * A streaming query over numbers, by what it does with them. Each file of its input is a batch. A
 * query has its checkpoint and its output below one place.
 */
enum Sink {
  FILES {
    @Override
    DataStreamWriter<Row> writer(Dataset<Row> numbers, String out) {
      return numbers.writeStream().format("csv").option("path", out);
    }
  },

  /** Appends. A batch that runs again is the same run. */
  RUNS {
    @Override
    DataStreamWriter<Row> writer(Dataset<Row> numbers, String out) {
      return numbers
          .writeStream()
          .foreachBatch(
              each(
                  (rows, batch) -> {
                    rows.sparkSession().conf().set("zerorename.run.id", "numbers-" + batch);
                    rows.write().mode("append").csv(out);
                  }));
    }
  },

  /** The state is in the checkpoint: a count of each remainder. */
  COUNTS {
    @Override
    DataStreamWriter<Row> writer(Dataset<Row> numbers, String out) {
      return numbers
          .selectExpr("id % 2 AS remainder")
          .groupBy("remainder")
          .count()
          .writeStream()
          .outputMode("complete")
          .foreachBatch(
              each(
                  (rows, batch) ->
                      rows.coalesce(1)
                          .selectExpr("count AS id")
                          .write()
                          .mode("overwrite")
                          .csv(out)));
    }

    @Override
    List<Long> expected() {
      long half = BATCHES * ROWS / 2L;
      return List.of(half, half);
    }
  };

  static final int BATCHES = 5;
  private static final int ROWS = 4;

  /** Writes the input of all queries into a new directory, which it returns. */
  static Path writeInput(Path parent) throws IOException {
    Path input = Files.createDirectory(parent.resolve("input"));
    for (int batch = 0; batch < BATCHES; batch++) {
      long from = (long) batch * ROWS;
      Files.write(
          input.resolve("part-" + batch),
          LongStream.range(from, from + ROWS).mapToObj(Long::toString).toList());
    }
    return input;
  }

  static Dataset<Row> numbers(SparkSession spark, String input) {
    return spark.readStream().schema("id BIGINT").option("maxFilesPerTrigger", 1).csv(input);
  }

  /** Of the two kinds of function that Spark takes, the one for Java. */
  static VoidFunction2<Dataset<Row>, Long> each(VoidFunction2<Dataset<Row>, Long> action) {
    return action;
  }

  abstract DataStreamWriter<Row> writer(Dataset<Row> numbers, String out);

  List<Long> rows(SparkSession spark, String place) {
    return Numbers.ids(spark.read().schema("id BIGINT").csv(place + "out"));
  }

  /** The rows of a query that has read all of its input, whatever happened to it meanwhile. */
  List<Long> expected() {
    return Numbers.range(0, (long) BATCHES * ROWS);
  }

  /**
   * Runs until all of the input is read.
   *
   * @param place with a slash at its end
   */
  void run(SparkSession spark, String input, String place)
      throws StreamingQueryException, TimeoutException {
    run(writer(numbers(spark, input), place + "out"), place);
  }

  /** Runs any query until all of its input is read. */
  static void run(DataStreamWriter<Row> writer, String place)
      throws StreamingQueryException, TimeoutException {
    StreamingQuery query =
        writer
            .option("checkpointLocation", place + "checkpoint")
            .trigger(Trigger.AvailableNow())
            .start();
    try {
      query.awaitTermination();
    } finally {
      query.stop();
    }
  }
}
