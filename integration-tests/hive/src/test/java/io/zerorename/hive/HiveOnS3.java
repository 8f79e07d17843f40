package io.zerorename.hive;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.config.CoreKeys;
import io.zerorename.hive.commit.BackgroundWorks;
import io.zerorename.testing.hive.LocalHive;
import io.zerorename.testing.hive.StatementFailedException;
import io.zerorename.testing.localfs.LocalDiskOfHive;
import io.zerorename.testing.s3a.PromptRetries;
import io.zerorename.testing.s3server.BucketContents;
import io.zerorename.testing.s3server.EmbeddedS3Server;
import io.zerorename.testing.s3server.FaultRule;
import io.zerorename.testing.s3server.RequestCounts;
import io.zerorename.testing.s3server.RequestRecording;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import org.apache.hadoop.hive.metastore.HiveMetaStoreClient;

/**
 * A Hive with tables on a real S3 server.
 *
 * <p>All test classes of the JVM share one, because its start costs more than most of their tests.
 * Each brings tables of its own, and begins with {@link #reset}.
 */
public final class HiveOnS3 {
  public static final String BUCKET = "warehouse";

  /** For partitions that are in another bucket than their table. */
  public static final String OTHER_BUCKET = "warehouse-other";

  private static final String[] CAPABILITIES = {
    "EXTREAD",
    "EXTWRITE",
    "HIVEBUCKET2",
    "HIVECACHEINVALIDATE",
    "HIVEFULLACIDREAD",
    "HIVEFULLACIDWRITE",
    "HIVEMANAGEDINSERTREAD",
    "HIVEMANAGEDINSERTWRITE",
    "HIVEMANAGESTATS",
    "HIVEMQT",
    "HIVEONLYMQTWRITE",
    "HIVESQL"
  };

  private final EmbeddedS3Server server;
  private final BucketContents bucket;
  private final BucketContents otherBucket;
  private final LocalHive hive;

  private HiveOnS3(
      EmbeddedS3Server server, BucketContents bucket, BucketContents otherBucket, LocalHive hive) {
    this.server = server;
    this.bucket = bucket;
    this.otherBucket = otherBucket;
    this.hive = hive;
  }

  /** The one of this JVM, with the settings that it was started with. */
  public static HiveOnS3 shared() {
    Holder.SHARED.reset();
    return Holder.SHARED;
  }

  private static final class Holder {
    static final HiveOnS3 SHARED = start();

    private static HiveOnS3 start() {
      try {
        // Tez leaves threads and a shutdown hook behind that keep the JVM from its end.
        Runtime.getRuntime().addShutdownHook(new Thread(Holder::endForGood, "halt"));
        return HiveOnS3.start();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    private static void endForGood() {
      try {
        // The other hooks, which end the S3 server, run meanwhile.
        Thread.sleep(3_000);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      Runtime.getRuntime().halt(0);
    }
  }

  private static HiveOnS3 start() throws IOException {
    EmbeddedS3Server server = EmbeddedS3Server.start();
    BucketContents bucket = server.createBucket(BUCKET);
    BucketContents otherBucket = server.createBucket(OTHER_BUCKET);
    Map<String, String> settings = new HashMap<>(server.hadoopSettingsWithoutSecrets());
    // Many tests have a database of their own, of which the first INSERT tries the store out.
    settings.put("fs.s3a.s3.client.factory.impl", PromptRetries.class.getName());
    // Some let the store fail for good.
    settings.put(CoreKeys.RETRY_TIME.name(), "2");
    // Hive sleeps for a second before it first asks whether a MapReduce job has ended.
    settings.put("hive.exec.counters.pull.interval", "50");
    settings.put("fs.file.impl", LocalDiskOfHive.class.getName());
    // Classes that need MapReduce alone let Tez wait for minutes.
    settings.put("tez.session.am.dag.submit.timeout.secs", "-1");
    LocalHive hive = LocalHive.start(Files.createTempDirectory("zerorename-hive-"), settings);
    return new HiveOnS3(server, bucket, otherBucket, hive);
  }

  public LocalHive hive() {
    return hive;
  }

  public EmbeddedS3Server server() {
    return server;
  }

  public BucketContents bucket() {
    return bucket;
  }

  /** The contents of {@link #OTHER_BUCKET}. */
  public BucketContents otherBucket() {
    return otherBucket;
  }

  /** The requests so far, with all of those that statements have begun in the background. */
  public RequestCounts counts() {
    awaitBackgroundWork();
    return server.gateway().counts();
  }

  /** Records requests, but none that earlier statements have begun in the background. */
  public RequestRecording record() {
    awaitBackgroundWork();
    return server.gateway().record();
  }

  /** Breaks requests, until the next {@link #reset}. */
  public void faults(FaultRule rule) {
    server.gateway().faults(rule);
  }

  /** Runs a statement that must fail, and returns all that it told the user. */
  public String failure(String sql) {
    assertThatThrownBy(() -> hive.execute(sql)).isInstanceOf(StatementFailedException.class);
    return hive.console();
  }

  /** Makes an empty external table {@code (a int)} in ORC, partitioned by {@code (p int)}. */
  public void createPartitioned(String table) throws StatementFailedException {
    create(table, "(a int) partitioned by (p int) stored as orc");
  }

  /** Makes an external table in the directory of the bucket that has its name. */
  public void create(String table, String definition) throws StatementFailedException {
    create(table, definition, "");
  }

  /**
   * The same.
   *
   * @param properties what stands behind the location
   */
  public void create(String table, String definition, String properties)
      throws StatementFailedException {
    create(table, definition, table, properties);
  }

  /** The same, unless the table is there. */
  public void createOnce(String table, String definition) throws StatementFailedException {
    create("if not exists " + table, definition, table, "");
  }

  private void create(String table, String definition, String directory, String properties)
      throws StatementFailedException {
    hive.execute(
        "create external table %s %s location 's3a://%s/%s' %s"
            .formatted(table, definition, BUCKET, directory, properties));
  }

  /** Adds a partition that is at a location of its own. */
  public void addPartition(String table, String partition, String location)
      throws StatementFailedException {
    hive.execute(
        "alter table %s add partition (%s) location '%s'".formatted(table, partition, location));
  }

  /** Puts the committer into the session, by the two properties that a user sets. */
  public HiveOnS3 withCommitter() {
    hive.set("hive.semantic.analyzer.hook", ZeroRenameHook.class.getName());
    hive.set("hive.query.lifetime.hooks", ZeroRenameHook.class.getName());
    return this;
  }

  public HiveOnS3 withoutCommitter() {
    hive.unset("hive.semantic.analyzer.hook");
    hive.unset("hive.query.lifetime.hooks");
    return this;
  }

  /**
   * Lets statements use DbTxnManager, in the sessions that ask for it, and all sessions make
   * transactional tables, which the metastore makes only for clients that say that they can.
   */
  public void withTransactions() throws SQLException {
    HiveMetaStoreClient.setProcessorCapabilities(CAPABILITIES);
    TransactionTables.create(hive.conf().get("javax.jdo.option.ConnectionURL"));
  }

  /** Undoes what {@link #withTransactions} has done to all sessions. */
  public void withoutTransactions() {
    HiveMetaStoreClient.setProcessorCapabilities(null);
  }

  /** Undoes what a test has set, and lets the server answer as it should. */
  public void reset() {
    hive.resetSettings();
    faults(FaultRule.NONE);
    awaitBackgroundWork();
  }

  /** Waits for what statements have begun and do not wait for; the next ones begin it again. */
  public void awaitBackgroundWork() {
    try {
      BackgroundWorks.await();
    } catch (Exception e) {
      throw new IllegalStateException("what statements have begun in the background", e);
    }
  }
}
