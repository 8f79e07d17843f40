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

  /** Hadoop asks the settings of the process, and not those of a session. */
  @Test
  void settingOfTheSessionHasNoEffect() {
    secure("simple");
    conf.set("hadoop.security.authentication", "none of Hadoop's");

    assertThat(TaskTokens.jobProperties(WRITTEN, conf)).isEmpty();
  }

  @Test
  void jobsAskForThoseOfAllFileSystemsThatTasksWriteTo() {
    secure("token");

    assertThat(TaskTokens.jobProperties(WRITTEN, conf))
        .isEqualTo(Map.of("mapreduce.job.hdfs-servers", "hdfs://namenode:8020/,s3a://data/"));
  }

  @Test
  void jobsAskForThoseThatTheUserNamesToo() {
    secure("token");
    conf.set("mapreduce.job.hdfs-servers", "hdfs://elsewhere:8020, hdfs://third");

    assertThat(TaskTokens.jobProperties(List.of(new Path("s3a://data/t")), conf))
        .isEqualTo(
            Map.of("mapreduce.job.hdfs-servers", "hdfs://elsewhere:8020,hdfs://third,s3a://data/"));
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
