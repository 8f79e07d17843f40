package com.example;

import java.io.IOException;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;

/** Adds the orders of a day to a table, without a word of the committer. */
public final class Orders {
  /** How many a day has. */
  public static final int ORDERS = 100;

  private Orders() {}

  /** Takes the day. */
  public static void main(String[] arguments) throws IOException {
    try (SparkSession spark = SparkSession.builder().getOrCreate()) {
      spark
          .range(0, ORDERS, 1, 1)
          .withColumn("day", functions.lit(arguments[0]))
          .withColumn("shop", functions.col("id").mod(functions.lit(2)))
          .write()
          .partitionBy("day", "shop")
          .mode(SaveMode.Append)
          .save(spark.conf().get("spark.orders.table"));
    }
  }
}
