package io.zerorename.hiveserver2;

import io.zerorename.testing.s3server.BucketContents;
import io.zerorename.testing.s3server.EmbeddedS3Server;
import io.zerorename.testing.s3server.FaultRule;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * A HiveServer2 with tables on a real S3 server. All test classes of the JVM share one, because its
 * start costs more than most of their tests; each brings tables of its own.
 */
final class HiveServer2OnS3 {
  static final String BUCKET = "warehouse";

  private final BucketContents bucket;
  private final HiveServer2Process process;

  private HiveServer2OnS3(BucketContents bucket, HiveServer2Process process) {
    this.bucket = bucket;
    this.process = process;
  }

  /** The one of this JVM, with a server that answers as it should. */
  static HiveServer2OnS3 shared() {
    HiveServer2Process process = Holder.SHARED.process;
    process.gateway().faults(FaultRule.NONE);
    return Holder.SHARED;
  }

  private static final class Holder {
    static final HiveServer2OnS3 SHARED = start();

    private static HiveServer2OnS3 start() {
      try {
        Path home = Files.createTempDirectory("zerorename-hiveserver2-");
        EmbeddedS3Server server = EmbeddedS3Server.start();
        BucketContents bucket = server.createBucket(BUCKET);
        HiveServer2Process process =
            HiveServer2Process.start(Installation.in(home), server, Map.of());
        // With its own end the JVM closes the process's input, which ends it; this is sooner.
        Runtime.getRuntime().addShutdownHook(new Thread(() -> close(process), "hiveserver2-end"));
        HiveServer2OnS3 shared = new HiveServer2OnS3(bucket, process);
        try (Session session = process.open()) {
          Tables.createNumbers(session);
        }
        return shared;
      } catch (IOException | java.sql.SQLException e) {
        throw new IllegalStateException("HiveServer2 does not run", e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException(e);
      }
    }

    private static void close(HiveServer2Process process) {
      try {
        process.close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  BucketContents bucket() {
    return bucket;
  }

  HiveServer2Process process() {
    return process;
  }
}
