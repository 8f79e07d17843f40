package io.zerorename.testing.statements;

import java.util.Locale;

/** A table's format, in the order of the columns of the support table. */
public enum Format {
  ORC("ORC", "stored as orc"),
  PARQUET("Parquet", "stored as parquet"),
  TEXT("text", "stored as textfile"),
  CSV("CSV", "row format serde 'org.apache.hadoop.hive.serde2.OpenCSVSerde' stored as textfile"),
  JSON("JSON", "row format serde 'org.apache.hadoop.hive.serde2.JsonSerDe' stored as textfile"),
  AVRO("Avro", "stored as avro"),
  RCFILE("RCFile", "stored as rcfile"),
  SEQUENCEFILE("SequenceFile", "stored as sequencefile");

  private final String title;
  private final String stored;

  Format(String title, String stored) {
    this.title = title;
    this.stored = stored;
  }

  /** By its name in files. */
  public static Format of(String key) {
    return valueOf(key.toUpperCase(Locale.ROOT));
  }

  /** Its name in files. */
  public String key() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Its name for people. */
  public String title() {
    return title;
  }

  /** As CREATE TABLE has it. */
  public String stored() {
    return stored;
  }
}
