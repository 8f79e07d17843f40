package io.zerorename.testing.localfs;

import java.io.IOException;
import java.util.regex.Pattern;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.Path;

/**
 * Saves copies of Hive's jar. Tez in local mode makes one of 80 MB for each of its containers, and
 * Hive one for each MapReduce job, though these run in the JVM that has it, and an INSERT of three
 * rows takes longer by half for that. What is copied is empty.
 */
public final class LocalDiskOfHive extends UnforkedLocalFileSystem {
  /** In the directory from which containers get it, its name has a hash. */
  private static final Pattern HIVES_JAR = Pattern.compile("hive-exec-.*-[0-9a-f]{64}\\.jar");

  /** As Hadoop names a job's. */
  private static final String JAR_OF_JOB = "job.jar";

  private static final Path NOTHING = new Path("/dev/null");

  @Override
  public void copyFromLocalFile(boolean deleteSource, Path source, Path target) throws IOException {
    if (target.getName().equals(JAR_OF_JOB)) {
      create(target).close();
    } else {
      super.copyFromLocalFile(deleteSource, source, target);
    }
  }

  @Override
  public FSDataInputStream open(Path path, int bufferSize) throws IOException {
    return super.open(HIVES_JAR.matcher(path.getName()).matches() ? NOTHING : path, bufferSize);
  }
}
