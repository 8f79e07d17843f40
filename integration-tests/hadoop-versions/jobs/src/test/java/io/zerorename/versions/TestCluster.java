package io.zerorename.versions;

import io.zerorename.magic.mapred.MagicOutputCommitter;
import io.zerorename.magic.mapreduce.MagicCommitterFactory;
import io.zerorename.testing.s3a.PromptRetries;
import io.zerorename.testing.s3server.BucketContents;
import io.zerorename.testing.s3server.EmbeddedS3Server;
import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.util.List;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;

/**
 * A bucket of its own on the S3 server that all tests of the JVM share, and a configuration with
 * which a LocalJobRunner writes to it while S3A refuses each request outside an audit span.
 */
public final class TestCluster implements Closeable {
  private static EmbeddedS3Server shared;

  private final EmbeddedS3Server server;
  private final BucketContents bucket;
  private final File directory;
  private final Configuration conf = new Configuration();

  private TestCluster(EmbeddedS3Server server, File directory) {
    this.server = server;
    this.directory = directory;
    bucket = server.createBucket("b-" + UUID.randomUUID());
    server.hadoopSettings().forEach(conf::set);
    conf.set("fs.s3a.audit.reject.out.of.span.operations", "true");
    // Each test has a bucket of its own, which its first job tries out.
    conf.set("fs.s3a.s3.client.factory.impl", PromptRetries.class.getName());
    conf.set("fs.s3a.buffer.dir", local("s3a"));
    conf.set("hadoop.tmp.dir", local("tmp"));
    conf.set("mapreduce.framework.name", "local");
    conf.set("mapreduce.cluster.local.dir", local("mapred"));
    conf.set("mapreduce.jobtracker.staging.root.dir", local("staging"));
    conf.set("yarn.app.mapreduce.am.staging-dir", local("staging"));
    conf.setInt("mapreduce.local.map.tasks.maximum", 4);
    conf.setInt("mapreduce.local.reduce.tasks.maximum", 4);
    conf.setInt("mapreduce.task.io.sort.mb", 4);
    conf.setInt("mapreduce.client.completion.pollinterval", 50);
    conf.setInt("mapreduce.client.progressmonitor.pollinterval", 50);
  }

  /** Keeps what is local in a directory of the caller. */
  public static synchronized TestCluster in(File directory) throws IOException {
    if (shared == null) {
      shared = EmbeddedS3Server.start();
    }
    return new TestCluster(shared, directory);
  }

  /** The same on a server of the caller, which it closes. */
  public static TestCluster on(EmbeddedS3Server server, File directory) {
    return new TestCluster(server, directory);
  }

  public EmbeddedS3Server server() {
    return server;
  }

  /** Has jobs of both APIs commit through us, as a user does for a whole cluster. */
  public TestCluster withCommitter() {
    conf.set("mapred.output.committer.class", MagicOutputCommitter.class.getName());
    conf.set("mapreduce.outputcommitter.factory.scheme.s3a", MagicCommitterFactory.class.getName());
    return this;
  }

  /** A copy, the caller's to change. */
  public Configuration conf() {
    return new Configuration(conf);
  }

  public BucketContents bucket() {
    return bucket;
  }

  /** A path in the bucket. */
  public Path s3(String key) {
    return new Path("s3a://" + bucket.bucket() + "/" + key);
  }

  /** The text of an object. */
  public String text(String key) {
    return server
        .backendClient()
        .getObjectAsBytes(request -> request.bucket(bucket.bucket()).key(key))
        .asUtf8String();
  }

  /** The keys of all files but the committer's own, which lie beside the destinations; sorted. */
  public List<String> files() {
    return bucket.files("").stream().filter(key -> !key.startsWith("_zerorename/")).toList();
  }

  /** The keys of a job's data files, sorted. */
  public List<String> dataFiles(String directory) {
    return bucket.files(directory + "/").stream()
        .filter(key -> !key.endsWith("/_SUCCESS"))
        .toList();
  }

  /** The lines of a job's data files, sorted. */
  public List<String> lines(String directory) {
    return dataFiles(directory).stream().flatMap(key -> text(key).lines()).sorted().toList();
  }

  /** A local path, below the caller's directory. */
  public String local(String name) {
    return new File(directory, name).toString();
  }

  /** Closes the bucket's file system, as the next test has another bucket. */
  @Override
  public void close() throws IOException {
    s3("").getFileSystem(conf).close();
  }
}
