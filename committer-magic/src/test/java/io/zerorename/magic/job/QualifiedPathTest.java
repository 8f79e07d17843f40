package io.zerorename.magic.job;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class QualifiedPathTest {
  @ParameterizedTest
  @CsvSource({
    "/tmp/hive, s3a://bucket/tmp/hive",
    "s3a:/tmp/hive, s3a://bucket/tmp/hive",
    "file:///disk/records, file:///disk/records",
    "hdfs://namenode/tmp, hdfs://namenode/tmp"
  })
  void onlyPathsOfTheDefaultFileSystemGetItsHost(String path, String qualified) {
    Configuration conf = new Configuration(false);
    conf.set("fs.defaultFS", "s3a://bucket");

    assertThat(MapReduceKeys.qualified(new Path(path), conf)).isEqualTo(new Path(qualified));
  }
}
