package io.zerorename.versions;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.core.commit.JobCommit;
import io.zerorename.magic.fs.PendingSession;
import java.net.URL;
import java.util.List;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.s3a.S3AFileSystem;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.LocalJobRunner;
import org.apache.hadoop.util.VersionInfo;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.s3.S3Client;

/** That the other tests of this run say something about the Hadoop that the build names. */
class HadoopVersionTest {
  private static final String HADOOP = System.getProperty("zerorename.test.hadoop.version");
  private static final String AWS_SDK = System.getProperty("zerorename.test.awssdk.version");

  @Test
  void everyJarIsOfTheVersionThatTheBuildNames() {
    System.out.println("Hadoop " + VersionInfo.getVersion() + " with the AWS SDK " + AWS_SDK);
    assertThat(VersionInfo.getVersion()).isEqualTo(HADOOP);
    for (Class<?> type :
        List.of(FileSystem.class, S3AFileSystem.class, JobConf.class, LocalJobRunner.class)) {
      assertThat(jar(type)).as("jar of %s", type).endsWith("-" + HADOOP + ".jar");
    }
    assertThat(jar(S3Client.class)).endsWith("-" + AWS_SDK + ".jar");
  }

  @Test
  void committerIsOnTheClassPathOnce() throws Exception {
    for (Class<?> type : new Class<?>[] {JobCommit.class, PendingSession.class}) {
      String resource = type.getName().replace('.', '/') + ".class";
      assertThat(type.getClassLoader().getResources(resource).asIterator())
          .toIterable()
          .as("jars with %s", type)
          .hasSize(1);
    }
  }

  private static String jar(Class<?> type) {
    URL location = type.getProtectionDomain().getCodeSource().getLocation();
    return location.getPath();
  }
}
