package io.zerorename.core.commit;

import io.zerorename.core.s3a.S3AObjectStores;
import io.zerorename.testing.s3server.BucketContents;
import io.zerorename.testing.s3server.EmbeddedS3Server;
import io.zerorename.testing.s3server.FaultRule;
import java.io.Closeable;
import java.io.IOException;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;

/**
 * A job that writes through S3A to a server of its own, and keeps its decision there.
 *
 * @param contents of the bucket of the job's table
 */
record JobOnServer(
    EmbeddedS3Server server, BucketContents contents, S3AObjectStores stores, TestJob job)
    implements Closeable {
  /**
   * @param workDir for the job's records
   * @param settings of S3A's besides
   */
  static JobOnServer start(java.nio.file.Path workDir, Map<String, String> settings)
      throws IOException {
    EmbeddedS3Server server = EmbeddedS3Server.start();
    BucketContents contents = server.createBucket(TestJob.TABLE.toUri().getAuthority());
    Configuration configuration = new Configuration();
    server.hadoopSettings().forEach(configuration::set);
    configuration.setBoolean("fs.s3a.impl.disable.cache", true);
    settings.forEach(configuration::set);
    S3AObjectStores stores = new S3AObjectStores(configuration);
    TestJob job =
        TestJob.decidedInBucket(
            stores, FileSystem.getLocal(new Configuration(false)), workDir, "job-1");
    return new JobOnServer(server, contents, stores, job);
  }

  @Override
  public void close() throws IOException {
    server.gateway().faults(FaultRule.NONE);
    stores.close();
    server.close();
  }
}
