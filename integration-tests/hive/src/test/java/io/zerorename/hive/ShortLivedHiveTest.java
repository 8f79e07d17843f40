package io.zerorename.hive;

import static io.zerorename.testing.process.Kill.Side.AFTER;
import static io.zerorename.testing.s3server.RequestType.PUT_OBJECT;
import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.core.config.CoreKeys;
import io.zerorename.testing.process.Await;
import io.zerorename.testing.process.ChildJvm;
import io.zerorename.testing.process.Kill;
import io.zerorename.testing.s3server.BucketContents;
import io.zerorename.testing.s3server.EmbeddedS3Server;
import io.zerorename.testing.s3server.S3Gateway;
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
import org.junit.jupiter.params.provider.ValueSource;

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

  @ParameterizedTest
  @CsvSource({"10, 0"})
  void rowsOfAKilledInsertAreThereAfterTwoOtherInserts(int files, String small) throws Exception {
    assertRowsAreThereAfterTwoInserts(files, small);
  }

  @ParameterizedTest
  @CsvSource({"10, 1M", "1000, 0", "1000, 1M"})
  void soTheyAreInOtherCases(int files, String small) throws Exception {
    assertRowsAreThereAfterTwoInserts(files, small);
  }

  /** So many that they take longer than the statement. */
  @ParameterizedTest
  @ValueSource(ints = 100_000)
  void filesOfALargeInsertAreThereAfterTwoOtherInserts(int files) throws Exception {
    hive.execute("create external table " + TABLE + " (a int) location '" + LOCATION + "'");
    hive.close();
    insertAndDie(files);
    assertThat(bucket.files(TABLE + "/")).isEmpty();
    for (int i = 0; i < 2; i++) {
      hive = HiveProcess.start(server, home);
      // Hive's statistics list the table, for which this S3 server takes a quarter of an hour.
      hive.set("hive.stats.autogather", "false");
      hive.execute("insert into " + TABLE + " values (" + (files + i) + ")");
      hive.exit();
    }
    assertThat(server.countObjects(BUCKET, TABLE)).isEqualTo(files + 2L);
    assertThat(bucket.pendingUploads("")).isEmpty();
    assertThat(TableLog.of(bucket, TABLE).notEnded()).isEmpty();
  }

  private void insertAndDie(int files) throws IOException, InterruptedException {
    S3Gateway gateway = server.newGateway();
    List<String> arguments =
        new ArrayList<>(
            List.of(LOCATION, home.resolve("large").toUri().toString(), Integer.toString(files)));
    server
        .hadoopSettingsWithoutSecrets(gateway)
        .forEach((key, value) -> arguments.add(key + "=" + value));
    try (gateway;
        ChildJvm process =
            ChildJvm.start(
                ChildJvm.Command.of(LargeInsert.class)
                    .withOptions(List.of("-Xmx1g"))
                    .withModulesOpen()
                    .withArguments(arguments),
                home.resolve("large.log"))) {
      gateway.faults(new Kill(AFTER, PUT_OBJECT, TableLog.ENTRY, 1).of(process));
      process.awaitEnd(Await.LIMIT);
      assertThat(process.wasKilled()).as(process.lastOutput()).isTrue();
      gateway.awaitDisconnected(Await.LIMIT);
    }
  }

  private void assertRowsAreThereAfterTwoInserts(int files, String small) throws Exception {
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
