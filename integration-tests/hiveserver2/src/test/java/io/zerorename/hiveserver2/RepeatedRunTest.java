package io.zerorename.hiveserver2;

import static io.zerorename.testing.process.Kill.Side.AFTER;
import static io.zerorename.testing.process.Kill.Side.BEFORE;
import static io.zerorename.testing.s3server.FaultRule.typeUnder;
import static io.zerorename.testing.s3server.RequestType.PUT_OBJECT;
import static io.zerorename.testing.s3server.RequestType.UPLOAD_PART;
import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.testing.install.Cluster;
import io.zerorename.testing.process.Kill;
import io.zerorename.testing.s3server.BucketContents;
import io.zerorename.testing.s3server.BucketContents.PendingUpload;
import io.zerorename.testing.s3server.EmbeddedS3Server;
import io.zerorename.testing.s3server.FaultRule;
import io.zerorename.testing.s3server.S3Request;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A scheduler's task is {@code beeline -f}, with the command of the page of retries: it appends the
 * rows of a day. HiveServer2 is killed in it, is started again, and the task is repeated as it is.
 *
 * <p>HiveServer2 is killed before each request that the statement sends from its commit on. After a
 * request that only reads, the store is as before it, so that it is killed after those that write.
 */
@Tag("thorough")
class RepeatedRunTest {
  private static final String BUCKET = HiveServer2OnS3.BUCKET;
  private static final String TABLE = "orders/";

  /** As in the command of the page. */
  private static final String FILE = "load.sql";

  /** One file is uploaded by a task, and the bytes of the other travel to the commit. */
  private static final String SCRIPT =
      """
      insert into orders partition (day='${hivevar:day}', region)
      select pos, md5(cast(pos as string)), if(pos < 3, 'few', 'many')
      from (select 1 as one) ones
      lateral view posexplode(split(space(999), ' ')) numbers as pos, word;
      """;

  private static final Map<String, String> SETTINGS = Map.of("zerorename.inline.max.bytes", "4096");

  @TempDir private static Path home;

  private static EmbeddedS3Server server;
  private static BucketContents bucket;
  private static Installation installation;
  private static HiveServer2Process hive;
  private static LocalDate date = LocalDate.of(2026, 1, 1);

  private String script = SCRIPT;
  private String day;
  private int entriesBefore;

  @BeforeAll
  static void start() throws Exception {
    server = EmbeddedS3Server.start();
    bucket = server.createBucket(BUCKET);
    installation = Installation.in(home);
    hive = HiveServer2Process.start(installation, server, SETTINGS);
    try (Session session = hive.open()) {
      session.execute(
          "create external table orders (id int, text string) partitioned by (day string, region"
              + " string) stored as orc location 's3a://"
              + BUCKET
              + "/orders'");
    }
  }

  @AfterAll
  static void stop() throws IOException {
    hive.close();
    server.close();
  }

  @BeforeEach
  void nextDay() {
    date = date.plusDays(1);
    day = date.toString();
    entriesBefore = entries();
  }

  private static int entries() {
    return (int)
        bucket.objects("_zerorename/orders-").keySet().stream()
            .filter(key -> key.matches(".*/log/_9\\d+"))
            .count();
  }

  @Test
  void rowsAreThereOnceAtWhateverRequestHiveServer2IsKilled() throws Exception {
    int before = killAtEach(BEFORE, request -> true);
    int after = killAtEach(AFTER, RepeatedRunTest::writes);

    assertThat(before).as("kills before a request").isGreaterThanOrEqualTo(14);
    assertThat(after).as("kills after a request that writes").isGreaterThanOrEqualTo(6);
    assertThat(bucket.pendingUploads(TABLE)).as("of those before their decision").isNotEmpty();
    Cluster.Outcome aborted =
        installation.zerorename(
            "uploads", "--abort", "--older-than", "1s", "s3a://" + BUCKET + "/" + TABLE);
    assertThat(aborted.exitCode()).as(aborted.text()).isZero();
    assertThat(bucket.pendingUploads(TABLE)).isEmpty();
  }

  private static boolean writes(S3Request request) {
    return !request.type().apiName().matches("(Get|Head|List).*");
  }

  /** Returns how many kills there were, until there was no such request any more. */
  private int killAtEach(Kill.Side side, Predicate<S3Request> which) throws Exception {
    int kills = 0;
    while (strikes(new Kill(side, Optional.empty(), "", kills + 1), which)) {
      kills++;
    }
    return kills;
  }

  private boolean strikes(Kill kill, Predicate<S3Request> which) throws Exception {
    nextDay();
    FaultRule rule = hive.rule(kill);
    FaultRule ofSome = request -> which.test(request) ? rule.on(request) : Optional.empty();
    hive.gateway().faults(ofSome.afterNth(1, typeUnder(UPLOAD_PART, place())));
    boolean killed = isKilled();
    repeat();
    return killed;
  }

  /** Whether HiveServer2 is killed in the task, after which the next one is there. */
  private boolean isKilled() throws Exception {
    try (Beeline beeline = begin()) {
      if (beeline.succeeds()) {
        hive.gateway().faults(FaultRule.NONE);
        return false;
      }
    }
    hive.awaitDeath();
    hive.close();
    hive = HiveServer2Process.start(installation, server, SETTINGS);
    return true;
  }

  /** The other way of the page. */
  @Test
  void scriptMaySetTheIdItself() throws Exception {
    script = "set zerorename.run.id=orders-${hivevar:day};\n" + SCRIPT;
    hive.killAt(new Kill(AFTER, PUT_OBJECT, "/log/_9", 1));
    assertThat(isKilled()).isTrue();
    repeat();
  }

  /** As the task is repeated, which must succeed. */
  private void repeat() throws Exception {
    boolean decided = entries() > entriesBefore;
    List<PendingUpload> left = bucket.pendingUploads(place());
    try (Beeline beeline = begin()) {
      assertThat(beeline.succeeds()).as(beeline.told()).isTrue();
      assertThat(beeline.told().contains("ZR-1136: ")).as(beeline.told()).isEqualTo(decided);
    }
    assertRowsAreThereOnce();
    if (decided) {
      assertThat(bucket.pendingUploads(place())).isEmpty();
    } else {
      assertThat(left).containsAll(bucket.pendingUploads(place()));
    }
  }

  /** Where the rows of the day are. */
  private String place() {
    return TABLE + "day=" + day + "/";
  }

  private void assertRowsAreThereOnce() throws Exception {
    assertThat(entries()).as("decisions for the day").isEqualTo(entriesBefore + 1);
    try (Session session = hive.open()) {
      assertThat(
              session.sortedRows(
                  "select region, count(*), count(distinct id), count(distinct text) from orders"
                      + " where day = '"
                      + day
                      + "' group by region"))
          .containsExactly("few\t3\t3\t3", "many\t997\t997\t997");
      assertThat(session.rows("select count(*) from orders where day = '" + day + "'"))
          .as("by the statistics, where they are accurate")
          .containsExactly("1000");
      assertThat(session.rows("show partitions orders partition (day='" + day + "')"))
          .containsExactlyInAnyOrder("day=" + day + "/region=few", "day=" + day + "/region=many");
    }
  }

  private Beeline begin() throws IOException {
    Path directory = Files.createTempDirectory(home, "task-");
    Files.writeString(directory.resolve(FILE), script);
    List<String> variables = List.of("--hivevar", "day=" + day);
    if (script.equals(SCRIPT)) {
      return Beeline.start(directory, hive, Beeline.recommended(day, variables));
    }
    return Beeline.start(directory, hive, List.of("-f", FILE, variables.get(0), variables.get(1)));
  }
}
