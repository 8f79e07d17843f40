package io.zerorename.hive;

import io.zerorename.testing.localfs.UnforkedLocalFileSystem;
import java.io.IOException;
import org.apache.hadoop.fs.Path;

/**
 * Saves copies of Hive's jar. Each MapReduce job makes one of 90 MB, though it runs in this JVM,
 * which has it.
 */
public final class LocalDiskWithoutJobJars extends UnforkedLocalFileSystem {
  private static final String JAR_OF_JOB = "job.jar";

  @Override
  public void copyFromLocalFile(boolean deleteSource, Path source, Path target) throws IOException {
    if (target.getName().equals(JAR_OF_JOB)) {
      create(target).close();
    } else {
      super.copyFromLocalFile(deleteSource, source, target);
    }
  }
}
