package io.zerorename.hive;

import static io.zerorename.testing.process.Kill.Side.AFTER;
import static io.zerorename.testing.s3server.RequestType.PUT_OBJECT;
import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.core.config.CoreKeys;
import io.zerorename.testing.process.Kill;
import io.zerorename.testing.s3server.BucketContents;
import io.zerorename.testing.s3server.EmbeddedS3Server;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A Hive was killed in an INSERT, and from then on there are only processes that run one statement
 * and exit, as {@code hive -e} does. No statement waits for what was left, and yet it is completed:
 * their exit waits for that, for a bounded time.
 */
@Tag("thorough")
class ShortLivedHiveTest {
  private static final String BUCKET = "warehouse";
  private static final String TABLE = "short_lived";
  private static final String LOCATION = "s3a://" + BUCKET + "/" + TABLE;

  @TempDir private Path home;

  private EmbeddedS3Server server;
  private BucketContents bucket;
  private HiveProcess hive;

  @BeforeEach
  void start() throws IOException {
    server = EmbeddedS3Server.start();
    bucket = server.createBucket(BUCKET);
    hive = HiveProcess.start(server, home);
  }

  @AfterEach
  void stop() throws IOException {
    hive.close();
    server.close();
  }

  /** A thousand take longer than the statement. */
  @ParameterizedTest
  @CsvSource({"10, 1M", "1000, 0"})
  void rowsOfAKilledInsertAreThereAfterTwoOtherInserts(int files, String small) throws Exception {
    hive.execute(
        "create external table "
            + TABLE
            + " (a int) partitioned by (p int) stored as orc location '"
            + LOCATION
            + "'");
    hive.set(CoreKeys.INLINE_MAX_BYTES.name(), small);
    for (String limit :
        List.of("hive.exec.max.dynamic.partitions", "hive.exec.max.dynamic.partitions.pernode")) {
      hive.set(limit, Integer.toString(2 * files));
    }
    hive.killIn(
        "insert into "
            + TABLE
            + " partition (p) select number, number from (select split(space("
            + (files - 1)
            + "), ' ') as words) one lateral view posexplode(words) numbers as number, word",
        new Kill(AFTER, PUT_OBJECT, TableLog.ENTRY, 1));
    hive.close();

    List<String> rows = new ArrayList<>();
    for (int p = 0; p < files + 2; p++) {
      rows.add(p + "\t" + p);
    }
    for (int p : List.of(files, files + 1)) {
      hive = HiveProcess.start(server, home);
      hive.execute("insert into " + TABLE + " partition (p=" + p + ") values (" + p + ")");
      hive.exit();
    }

    hive = HiveProcess.start(server, home);
    assertThat(hive.execute("select * from " + TABLE)).containsExactlyInAnyOrderElementsOf(rows);
    assertThat(bucket.files(TABLE + "/")).hasSize(files + 2);
    assertThat(bucket.pendingUploads("")).isEmpty();
    assertThat(TableLog.of(bucket, TABLE).notEnded()).isEmpty();
  }
}
