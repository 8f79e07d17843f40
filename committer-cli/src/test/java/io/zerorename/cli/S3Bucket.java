package io.zerorename.cli;

import static io.zerorename.testing.s3server.FaultRule.always;

import io.zerorename.core.config.CoreKeys;
import io.zerorename.core.s3a.S3AObjectStores;
import io.zerorename.magic.job.MapReduceKeys;
import io.zerorename.testing.s3server.BucketContents;
import io.zerorename.testing.s3server.EmbeddedS3Server;
import io.zerorename.testing.s3server.Fault;
import io.zerorename.testing.s3server.FaultRule;
import io.zerorename.testing.s3server.RequestCounts;
import io.zerorename.testing.s3server.S3Request;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Predicate;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;

/** A bucket of its own on the S3 server that all tests of the JVM share, and what leads to it. */
final class S3Bucket implements Closeable {
  private static EmbeddedS3Server shared;

  private final EmbeddedS3Server server;
  private final BucketContents contents;
  private final Configuration conf = new Configuration();
  private final List<S3AObjectStores> stores = new ArrayList<>();

  /** One that there is, by a name. */
  S3Bucket(EmbeddedS3Server server, String name, java.nio.file.Path directory) {
    this.server = server;
    contents = server.contents(name);
    server.hadoopSettings().forEach(conf::set);
    conf.set("fs.s3a.attempts.maximum", "1");
    conf.set("hadoop.tmp.dir", directory.resolve("tmp").toString());
    conf.set(CoreKeys.WORK_DIR.name(), directory.resolve("work").toUri().toString());
    conf.set("yarn.app.mapreduce.am.staging-dir", directory.resolve("staging").toUri().toString());
    conf.set("fs.s3a.buffer.dir", directory.toString());
  }

  /** Keeps what is local in a directory of the caller. */
  static synchronized S3Bucket in(java.nio.file.Path directory) throws IOException {
    if (shared == null) {
      shared = EmbeddedS3Server.start();
    }
    String name = "b-" + UUID.randomUUID();
    shared.createBucket(name);
    return new S3Bucket(shared, name, directory);
  }

  /** The way of a job or of a command to the store, until the test ends. */
  S3AObjectStores stores() {
    S3AObjectStores opened = new S3AObjectStores(conf());
    stores.add(opened);
    return opened;
  }

  /** Sets a property for everything that follows. */
  void set(String key, String value) {
    conf.set(key, value);
  }

  Configuration conf() {
    return new Configuration(conf);
  }

  BucketContents contents() {
    return contents;
  }

  Path path(String key) {
    return new Path("s3a://" + contents.bucket() + "/" + key);
  }

  /** The user's records on the cluster file system, which is a local one here. */
  Path workDir() throws IOException {
    return MapReduceKeys.workDir(conf);
  }

  /** Types a command. */
  CommandLineRun run(String... arguments) {
    return CommandLineRun.of(conf, arguments);
  }

  void refuse(Predicate<S3Request> which) {
    server.gateway().faults(always(which, Fault.accessDenied()));
  }

  void faults(FaultRule rule) {
    server.gateway().faults(rule);
  }

  void refuseNothing() {
    server.gateway().faults(FaultRule.NONE);
    server.gateway().serverName(Optional.empty());
  }

  /** What the server calls itself. */
  void serverName(String name) {
    server.gateway().serverName(Optional.of(name));
  }

  RequestCounts counts() {
    return server.gateway().counts();
  }

  /** The key of an entry in the log of a table in {@code db}. */
  String entry(String table) {
    return contents.files("db/_zerorename/" + table + "-").stream()
        .filter(key -> key.matches(".*/log/_\\d+"))
        .findFirst()
        .orElseThrow();
  }

  /** Begins an upload as another program does. */
  String beginUpload(String key) {
    return server
        .backendClient()
        .createMultipartUpload(create -> create.bucket(contents.bucket()).key(key))
        .uploadId();
  }

  /** Copies an object with its metadata, over another one. */
  void copy(String from, String to) {
    String bucket = contents.bucket();
    server
        .backendClient()
        .copyObject(
            copy ->
                copy.sourceBucket(bucket)
                    .sourceKey(from)
                    .destinationBucket(bucket)
                    .destinationKey(to));
  }

  void abortUpload(BucketContents.PendingUpload upload) {
    server
        .backendClient()
        .abortMultipartUpload(
            abort -> abort.bucket(contents.bucket()).key(upload.key()).uploadId(upload.uploadId()));
  }

  @Override
  public void close() throws IOException {
    refuseNothing();
    for (S3AObjectStores opened : stores) {
      opened.close();
    }
    path("").getFileSystem(conf).close();
  }
}
