package io.zerorename.hive;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;

class TaskTokensTest {
  private static final List<Path> WRITTEN =
      List.of(
          new Path("s3a://data/t"),
          new Path("s3a://data/other"),
          new Path("hdfs://namenode:8020/tmp/hive/alice"));

  private final Configuration conf = new Configuration(false);

  @Test
  void tasksNeedNoneWithoutKerberos() {
    assertThat(TaskTokens.jobProperties(WRITTEN, conf)).isEmpty();
  }

  @Test
  void jobsAskForThoseOfAllFileSystemsThatTasksWriteTo() {
    conf.set("hadoop.security.authentication", "kerberos");

    assertThat(TaskTokens.jobProperties(WRITTEN, conf))
        .isEqualTo(Map.of("mapreduce.job.hdfs-servers", "hdfs://namenode:8020/,s3a://data/"));
  }

  @Test
  void jobsAskForThoseThatTheUserNamesToo() {
    conf.set("hadoop.security.authentication", "kerberos");
    conf.set("mapreduce.job.hdfs-servers", "hdfs://elsewhere:8020, hdfs://third");

    assertThat(TaskTokens.jobProperties(List.of(new Path("s3a://data/t")), conf))
        .isEqualTo(
            Map.of("mapreduce.job.hdfs-servers", "hdfs://elsewhere:8020,hdfs://third,s3a://data/"));
  }
}
