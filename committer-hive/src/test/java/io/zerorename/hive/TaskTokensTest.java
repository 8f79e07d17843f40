package io.zerorename.hive;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class TaskTokensTest {
  private static final List<Path> WRITTEN =
      List.of(
          new Path("s3a://data/t"),
          new Path("s3a://data/other"),
          new Path("hdfs://namenode:8020/tmp/hive/alice"));

  private final Configuration conf = new Configuration(false);

  @AfterEach
  void resetHadoop() {
    UserGroupInformation.reset();
  }

  @Test
  void jobsAskForThoseOfAllFileSystemsThatTasksWriteTo() {
    secure("token");

    assertThat(TaskTokens.jobProperties(WRITTEN, conf))
        .isEqualTo(Map.of("mapreduce.job.hdfs-servers", "hdfs://namenode:8020/,s3a://data/"));
  }

  /**
   * Sets how users of this process are authenticated.
   *
   * @param method as in core-site.xml; with kerberos the machine would need a realm
   */
  private static void secure(String method) {
    Configuration process = new Configuration(false);
    process.set("hadoop.security.authentication", method);
    UserGroupInformation.setConfiguration(process);
  }
}
