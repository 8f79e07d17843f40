package io.zerorename.magic.job;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.hadoop.fs.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class UniqueNamesTest {
  private static final Path DESTINATION = new Path("s3a://bucket/out");

  /** Files of a MapFile keep their names, but not those that are only called so. */
  @ParameterizedTest
  @CsvSource({
    "part-r-00000, part-r-00000-ID",
    "part-r-00000.gz, part-r-00000-ID.gz",
    "part-r-00000.c000.snappy.parquet, part-r-00000-ID.c000.snappy.parquet",
    ".hidden.crc, .hidden-ID.crc",
    "ds=1/part-r-00000, ds=1/part-r-00000-ID",
    "ds=1.5/part-r-00000, ds=1.5/part-r-00000-ID",
    "part-r-00000/data, part-r-00000-ID/data",
    "part-r-00000/index, part-r-00000-ID/index",
    "part-r-00000/bloom, part-r-00000-ID/bloom",
    "ds=1/part-r-00000/data, ds=1/part-r-00000-ID/data",
    "data, data-ID",
    "ds=1/data, ds=1/data-ID",
    "ds=1/index, ds=1/index-ID",
  })
  void idIsInTheFilesNameBeforeTheFirstDot(String file, String expected) {
    assertThat(unique(file)).isEqualTo(expected);
  }

  private static String unique(String file) {
    String path = new UniqueNames(DESTINATION, "ID").apply(new Path(DESTINATION, file)).toString();
    return path.substring(DESTINATION.toString().length() + 1);
  }
}
