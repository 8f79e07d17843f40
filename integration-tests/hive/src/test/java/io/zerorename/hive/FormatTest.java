package io.zerorename.hive;

import java.util.Locale;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Every format that Hive writes by itself ends as on Hive's own path, compressed and not. {@link
 * InsertTest} has ORC and Parquet.
 */
@Tag("thorough")
class FormatTest {
  /** A table's format, as its definition names it. */
  enum Format {
    TEXT("stored as textfile"),
    DELIMITED(
        "row format delimited fields terminated by '|' escaped by '\\\\' null defined as 'none'"
            + " stored as textfile"),
    CSV("row format serde 'org.apache.hadoop.hive.serde2.OpenCSVSerde' stored as textfile"),
    JSON("row format serde 'org.apache.hadoop.hive.serde2.JsonSerDe' stored as textfile"),
    AVRO("stored as avro"),
    RCFILE("stored as rcfile"),
    SEQUENCEFILE("stored as sequencefile");

    private final String definition;

    Format(String definition) {
      this.definition = definition;
    }
  }

  private static final String CODECS = "org.apache.hadoop.io.compress.";

  private final HiveOnS3 s3 = HiveOnS3.shared();

  @BeforeEach
  void reset() {
    s3.reset();
    s3.hive().set("hive.merge.mapfiles", "false");
  }

  @ParameterizedTest
  @CsvSource({"TEXT, tez, DeflateCodec", "JSON, mr, BZip2Codec", "SEQUENCEFILE, tez, SnappyCodec"})
  void compressedInsertEndsAsOnHivesOwnPathInOtherCases(Format format, String engine, String codec)
      throws Exception {
    compressedInsertEndsAsOnHivesOwnPath(format, engine, codec);
  }

  @ParameterizedTest
  @CsvSource({"DELIMITED, tez, Lz4Codec"})
  void compressedInsertEndsAsOnHivesOwnPath(Format format, String engine, String codec)
      throws Exception {
    compress(codec);
    insertEndsAsOnHivesOwnPath(format, engine, codec);
  }

  @ParameterizedTest
  @CsvSource({
    "TEXT, mr, SnappyCodec",
    "CSV, tez, BZip2Codec",
    "JSON, mr, GzipCodec",
    "AVRO, tez, DefaultCodec",
    "RCFILE, mr, GzipCodec"
  })
  void moreCompressedInsertsEndAsOnHivesOwnPath(Format format, String engine, String codec)
      throws Exception {
    compressedInsertEndsAsOnHivesOwnPath(format, engine, codec);
  }

  /** As the matrix does in the ordinary build, with fewer rows that are odd. */
  @ParameterizedTest
  @CsvSource({
    "DELIMITED, mr",
    "CSV, mr",
    "JSON, tez",
    "AVRO, mr",
    "RCFILE, tez",
    "SEQUENCEFILE, mr"
  })
  void plainInsertEndsAsOnHivesOwnPath(Format format, String engine) throws Exception {
    insertEndsAsOnHivesOwnPath(format, engine, "none");
  }

  private void insertEndsAsOnHivesOwnPath(Format format, String engine, String codec)
      throws Exception {
    s3.hive().set("hive.execution.engine", engine);
    TwinTables twins =
        TwinTables.create(
            s3,
            String.join("_", "format", format.name(), engine, codec).toLowerCase(Locale.ROOT),
            "create external table %s (a int, b string) partitioned by (p string) "
                + format.definition
                + " location %l");

    twins
        .insert(
            "insert into %s partition (p) values (1, 'a|b', 'x'), (2, 'say \"c\"', 'y'), (3, null,"
                + " 'x')")
        .insert("insert overwrite table %s partition (p='x') values (4, 'd,ü'), (5, '')");
  }

  private void compress(String codec) {
    s3.hive().set("hive.exec.compress.output", "true");
    s3.hive().set("mapreduce.output.fileoutputformat.compress.codec", CODECS + codec);
  }
}
