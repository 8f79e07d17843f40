package io.zerorename.testing.spark;

import static org.apache.spark.sql.functions.callUDF;
import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.lit;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.api.java.UDF1;
import org.apache.spark.sql.types.DataTypes;

/** Numbers as rows to write, and as what is read again. */
final class Numbers {
  /** Each of them has rows of all partitions. */
  static final int TASKS = 3;

  private final SparkSession spark;

  Numbers(SparkSession spark) {
    this.spark = spark;
    UDF1<Long, Long> failsTwice = value -> failing(value, 2);
    UDF1<Long, Long> fails = value -> failing(value, Integer.MAX_VALUE);
    spark.udf().register("failsTwice", failsTwice, DataTypes.LongType);
    spark.udf().register("fails", fails, DataTypes.LongType);
  }

  /** The task that comes to 150 fails in the midst of its rows, in its first attempts. */
  private static long failing(long value, int attempts) {
    if (value == 150 && TaskContext.get().attemptNumber() < attempts) {
      throw new IllegalStateException("made to fail");
    }
    return value;
  }

  /** In the column {@code id}, and whether they are odd in {@code p}, a string. */
  Dataset<Row> rows(long from, long to) {
    return spark
        .range(from, to, 1, TASKS)
        .toDF("id")
        .withColumn("p", col("id").mod(lit(2)).cast("string"));
  }

  /** Of 300 rows, of which the second of three tasks cannot write its last. */
  Dataset<Row> failing() {
    return by("fails");
  }

  /** Of 300 rows, which the second of three tasks writes in its third attempt. */
  Dataset<Row> failingTwice() {
    return by("failsTwice");
  }

  private Dataset<Row> by(String function) {
    return rows(0, 300).withColumn("id", callUDF(function, col("id")));
  }

  List<Long> read(String format, String place) {
    return ids(spark.read().format(format).schema("id BIGINT, p STRING").load(place));
  }

  static List<Long> ids(Dataset<Row> rows) {
    return rows.select("id").collectAsList().stream().map(row -> row.getLong(0)).sorted().toList();
  }

  static List<Long> range(long from, long to) {
    return LongStream.range(from, to).boxed().toList();
  }

  static List<Long> even(List<Long> numbers) {
    return numbers.stream().filter(id -> id % 2 == 0).toList();
  }

  static List<Long> odd(List<Long> numbers) {
    return numbers.stream().filter(id -> id % 2 == 1).toList();
  }

  static List<Long> join(List<Long> some, List<Long> others) {
    List<Long> all = new ArrayList<>(some);
    all.addAll(others);
    return all.stream().sorted().toList();
  }
}
