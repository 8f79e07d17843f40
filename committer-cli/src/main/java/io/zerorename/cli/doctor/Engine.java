package io.zerorename.cli.doctor;

import java.util.Arrays;

/** An engine, and its own checks; all others are for each engine. */
enum Engine {
  HIVE("Hive", "hive-"),
  MAPREDUCE("MapReduce", "mapreduce-"),
  TEZ("Tez", "tez-"),
  SPARK("Spark", "spark-");

  private final String title;
  private final String prefix;

  Engine(String title, String prefix) {
    this.title = title;
    this.prefix = prefix;
  }

  String title() {
    return title;
  }

  boolean owns(String check) {
    return check.startsWith(prefix);
  }

  static boolean isOfOne(String check) {
    return Arrays.stream(values()).anyMatch(engine -> engine.owns(check));
  }
}
