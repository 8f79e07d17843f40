package io.zerorename.hive;

import io.zerorename.testing.hive.LocalHive;
import io.zerorename.testing.s3server.BucketContents;
import io.zerorename.testing.s3server.EmbeddedS3Server;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.util.HashMap;
import java.util.Map;

/** A Hive with tables on a real S3 server, for a test class. */
final class HiveOnS3 implements Closeable {
  static final String BUCKET = "warehouse";

  private final EmbeddedS3Server server;
  private final BucketContents bucket;
  private final LocalHive hive;

  private HiveOnS3(EmbeddedS3Server server, BucketContents bucket, LocalHive hive) {
    this.server = server;
    this.bucket = bucket;
    this.hive = hive;
  }

  static HiveOnS3 start() throws IOException {
    EmbeddedS3Server server = EmbeddedS3Server.start();
    BucketContents bucket = server.createBucket(BUCKET);
    Map<String, String> settings = new HashMap<>(server.hadoopSettingsWithoutSecrets());
    return new HiveOnS3(
        server, bucket, LocalHive.start(Files.createTempDirectory("zerorename-hive-"), settings));
  }

  LocalHive hive() {
    return hive;
  }

  EmbeddedS3Server server() {
    return server;
  }

  BucketContents bucket() {
    return bucket;
  }

  /** Puts the committer into the session, by the two properties that a user sets. */
  HiveOnS3 withCommitter() {
    hive.set("hive.semantic.analyzer.hook", ZeroRenameHook.class.getName());
    hive.set("hive.query.lifetime.hooks", ZeroRenameHook.class.getName());
    return this;
  }

  HiveOnS3 withoutCommitter() {
    hive.unset("hive.semantic.analyzer.hook");
    hive.unset("hive.query.lifetime.hooks");
    return this;
  }

  @Override
  public void close() throws IOException {
    try {
      hive.close();
    } finally {
      server.close();
    }
  }
}
