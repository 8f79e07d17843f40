package io.zerorename.testing.mapreduce;

import io.zerorename.testing.s3server.BucketContents;
import io.zerorename.testing.s3server.EmbeddedS3Server;
import io.zerorename.testing.secure.SecureCluster;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A YARN and two HDFS with Kerberos, beside a real S3 server whose keys no configuration has. */
public final class SecureYarn implements Closeable {
  /** A directory of both file systems, in which each user may make their own. */
  public static final String RECORDS = "/tmp/records";

  /** Has S3A issue delegation tokens. */
  public static final Map<String, String> TOKENS_OF_S3A =
      Map.of(
          "fs.s3a.delegation.token.binding",
          "org.apache.hadoop.fs.s3a.auth.delegation.FullCredentialsTokenBinding");

  private final SecureCluster cluster;
  private final EmbeddedS3Server s3;
  private final BucketContents bucket;

  private SecureYarn(SecureCluster cluster, EmbeddedS3Server s3) {
    this.cluster = cluster;
    this.s3 = s3;
    this.bucket = s3.createBucket(MapReduceCluster.BUCKET);
  }

  /**
   * Starts everything.
   *
   * @param home an existing directory
   */
  public static SecureYarn start(Path home) throws IOException, InterruptedException {
    SecureCluster cluster =
        SecureCluster.start(Files.createDirectory(home.resolve("cluster")), true);
    SecureYarn yarn = new SecureYarn(cluster, EmbeddedS3Server.start());
    cluster.makeShared(RECORDS);
    cluster.makeShared(cluster.otherHdfs() + RECORDS);
    return yarn;
  }

  public SecureCluster cluster() {
    return cluster;
  }

  public EmbeddedS3Server s3() {
    return s3;
  }

  public BucketContents bucket() {
    return bucket;
  }

  /** What the site files of a client have. A map task is tried once. */
  public Map<String, String> settings() {
    Map<String, String> settings = new HashMap<>(cluster.settings());
    settings.putAll(s3.hadoopSettingsWithoutSecrets());
    settings.putAll(MapReduceCluster.clientSettings());
    // A host of a cluster has it in /etc/krb5.conf.
    for (String options :
        List.of("yarn.app.mapreduce.am.command-opts", "mapreduce.map.java.opts")) {
      settings.compute(options, (key, value) -> value + " " + cluster.javaOption());
    }
    settings.put("mapreduce.map.maxattempts", "1");
    return settings;
  }

  @Override
  public void close() throws IOException {
    s3.close();
    cluster.close();
  }
}
