package io.zerorename.testing.sparksuites;

import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.execution.streaming.CheckpointFileManager;
import org.apache.spark.sql.execution.streaming.CheckpointFileManagerTests;
import scala.Function1;
import scala.runtime.BoxedUnit;

/** What Spark demands of any manager of checkpoints, of the one that is set. */
public final class CheckpointManagerSuite extends CheckpointFileManagerTests {
  private static final String MANAGER = "spark.sql.streaming.checkpointFileManagerClass";

  @Override
  public void withTempHadoopPath(Function1<Path, BoxedUnit> test) {
    String bucket = System.getProperty(DirectoryOnS3Agent.BUCKET);
    test.apply(new Path(bucket, new Path("/checkpoints-" + UUID.randomUUID())));
  }

  /** There are none on S3A. */
  @Override
  public void checkLeakingCrcFiles(Path path) {}

  @Override
  public CheckpointFileManager createManager(Path path) {
    Configuration conf = new Configuration();
    String manager = System.getProperty(MANAGER);
    if (manager != null) {
      conf.set(MANAGER, manager);
    }
    return CheckpointFileManager.create(path, conf);
  }
}
