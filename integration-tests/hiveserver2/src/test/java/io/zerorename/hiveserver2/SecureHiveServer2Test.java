package io.zerorename.hiveserver2;

import static io.zerorename.testing.process.Kill.Side.AFTER;
import static io.zerorename.testing.s3server.RequestType.COMPLETE_MULTIPART_UPLOAD;
import static io.zerorename.testing.s3server.RequestType.PUT_OBJECT;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.config.CoreKeys;
import io.zerorename.testing.process.Await;
import io.zerorename.testing.process.Kill;
import io.zerorename.testing.s3server.BucketContents;
import io.zerorename.testing.s3server.EmbeddedS3Server;
import io.zerorename.testing.s3server.Fault;
import io.zerorename.testing.s3server.FaultRule;
import io.zerorename.testing.s3server.RequestRecording;
import io.zerorename.testing.s3server.S3Request;
import io.zerorename.testing.secure.SecureCluster;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * HiveServer2 with Kerberos, its scratch directory on an HDFS with Kerberos, and two users: what
 * each of them can do to the other's records, and as whom the committer sends its requests.
 */
@Tag("thorough")
class SecureHiveServer2Test {
  private static final String ALICE = "alice";
  private static final String BOB = "bob";
  private static final String SCRATCH = "/tmp/hive";

  /** In the key of the entry that decides: its number counts down. */
  private static final String DECISION = "/log/_9";

  /** As S3A's audit names the user for whom its client was opened. */
  private static final Pattern PRINCIPAL = Pattern.compile("[?&]pr=([^&]+)");

  @TempDir private static Path home;

  private static SecureCluster cluster;
  private static EmbeddedS3Server server;
  private static BucketContents bucket;
  private static Installation installation;
  private static HiveServer2Process hive;

  @BeforeAll
  static void start() throws Exception {
    cluster = SecureCluster.start(Files.createDirectory(home.resolve("cluster")), false);
    server = EmbeddedS3Server.start();
    bucket = server.createBucket(HiveServer2OnS3.BUCKET);
    installation = installation("impersonating");
    hive = start(installation, true);
    superuser("-chmod", "1733", SCRATCH);
  }

  @AfterAll
  static void stop() throws IOException {
    hive.close();
    server.close();
    cluster.close();
  }

  @AfterEach
  void answerAgain() {
    hive.gateway().faults(FaultRule.NONE);
  }

  private static Installation installation(String name) throws Exception {
    Installation laidOut = Installation.in(Files.createDirectory(home.resolve(name)));
    laidOut.addToHadoop(cluster.settings());
    return laidOut;
  }

  private static HiveServer2Process start(Installation installation, boolean doAs)
      throws Exception {
    Map<String, String> settings = new HashMap<>();
    settings.put("hive.server2.authentication", "KERBEROS");
    settings.put(
        "hive.server2.authentication.kerberos.principal",
        SecureCluster.principal(SecureCluster.HIVE));
    settings.put(
        "hive.server2.authentication.kerberos.keytab",
        cluster.keytab(SecureCluster.HIVE).toString());
    settings.put("hive.server2.enable.doAs", "" + doAs);
    settings.put("hive.exec.scratchdir", cluster.hdfs() + SCRATCH);
    settings.put("hive.metastore.warehouse.dir", cluster.hdfs() + "/user/hive/managed");
    settings.put("hive.metastore.warehouse.external.dir", cluster.hdfs() + "/user/hive/external");
    settings.put("hive.user.install.directory", cluster.hdfs() + "/user");
    // Tez in one process does not run with Kerberos.
    settings.put("hive.execution.engine", "mr");
    settings.put("hive.merge.mapfiles", "false");
    // With Kerberos a reducer reads the output of mappers by Hadoop's native library only.
    settings.put("hive.stats.column.autogather", "false");
    settings.put("hive.optimize.sort.dynamic.partition.threshold", "-1");
    return HiveServer2Process.start(installation, server, settings, cluster.javaOption());
  }

  private static Session open(HiveServer2Process process, String user) throws Exception {
    Session session =
        KerberosLogin.as(
            cluster,
            user,
            () ->
                process.open(
                    ";principal="
                        + SecureCluster.principal(SecureCluster.HIVE)
                        + ";kerberosAuthType=fromSubject"));
    // A process that was killed before has nothing under way.
    session.execute("set " + CoreKeys.RECOVERY_PATIENCE.name() + "=0");
    return session;
  }

  @Test
  void eachUsersRequestsGoThroughTheirOwnClientOfS3AndRecordsAreTheirsAlone() throws Exception {
    try (Session alice = open(hive, ALICE);
        Session bob = open(hive, BOB);
        RequestRecording recording = hive.gateway().record()) {
      Tables.create(alice, "alices");
      Tables.create(bob, "bobs");

      // In turn, so that what one has opened is there for the other.
      for (int i = 0; i < 2; i++) {
        assertCommitted(alice.linesOfOurs(overwrite("alices")));
        assertCommitted(bob.linesOfOurs(overwrite("bobs")));
      }

      assertThat(alice.sortedRows("select * from alices")).containsExactly("10\t1", "20\t2");
      assertThat(bob.sortedRows("select * from bobs")).containsExactly("10\t1", "20\t2");
      assertThat(principals(recording, "alices/")).isEqualTo(Set.of(ALICE));
      assertThat(principals(recording, "bobs/")).isEqualTo(Set.of(BOB));
      assertThat(principals(recording, ""))
          .as("of requests without a key too")
          .isEqualTo(Set.of(ALICE, BOB));
    }
    assertThat(hive.gateway().counts().copies()).isZero();
    String records = SCRATCH + "/zerorename-alice";
    assertOwnedBy(ALICE, records);
    cluster.assertRefused(BOB, records);
  }

  /** A user who makes it first could otherwise write plans that its user executes. */
  @Test
  void directoryThatAnotherHasMadeForAUserIsNotUsed() throws Exception {
    cluster.makeShared("/tmp/shared");
    cluster.run(BOB, "-mkdir", "/tmp/shared/zerorename-alice");
    cluster.run(BOB, "-chmod", "777", "/tmp/shared/zerorename-alice");
    try (Session alice = open(hive, ALICE)) {
      Tables.create(alice, "squatted");
      alice.execute("set " + CoreKeys.WORK_DIR.name() + "=" + cluster.hdfs() + "/tmp/shared");

      assertThatThrownBy(() -> alice.execute(overwrite("squatted")))
          .hasMessageContainingAll("ZR-5130", "ZR-3119", "belongs to bob");
      assertThat(alice.sortedRows("select * from squatted")).isEmpty();
    }
    assertThat(superuser("-ls", "-R", "/tmp/shared").lines().filter(line -> line.startsWith("-")))
        .as("files")
        .isEmpty();
  }

  /** Which the next writer tries in the background, with their own rights. */
  @Test
  void nextWriterCannotCompleteWhatItMayNotWriteAndTheOwnerCan() throws Exception {
    interruptInsertOfAlice("refused");
    Set<?> pending = Set.copyOf(bucket.pendingUploads("refused/"));
    assertThat(pending).isNotEmpty();
    AtomicInteger refused = new AtomicInteger();
    FaultRule noRights =
        FaultRule.always(
            request ->
                request.key().matches("refused/p=[12]/.*")
                    && principal(request).equals(BOB)
                    && request.type() == COMPLETE_MULTIPART_UPLOAD,
            Fault.accessDenied());
    hive.gateway()
        .faults(
            request -> {
              Optional<Fault> fault = noRights.on(request);
              fault.ifPresent(it -> refused.incrementAndGet());
              return fault;
            });
    try (Session bob = open(hive, BOB)) {
      bob.execute(insert("refused", 7));
      Await.until("bob's try", () -> refused.get() > 0);

      assertThat(bob.sortedRows("select * from refused where p = 7")).containsExactly("7\t7");
      assertThat(Set.copyOf(bucket.pendingUploads("refused/"))).isEqualTo(pending);
    }
    try (Session alice = open(hive, ALICE)) {
      alice.execute(insert("refused", 8));

      List<String> all = List.of("10\t1", "20\t2", "7\t7", "8\t8");
      Await.until("all rows", () -> alice.sortedRows("select * from refused").equals(all));
    }
    assertThat(bucket.pendingUploads("refused/")).isEmpty();
  }

  @Test
  void withoutImpersonationAllBelongsToHiveAndNoUserReadsIt() throws Exception {
    cluster.makeShared("/tmp/as-hive");
    try (HiveServer2Process process = start(installation("as-hive"), false);
        RequestRecording recording = process.gateway().record();
        Session alice = open(process, ALICE);
        Session bob = open(process, BOB)) {
      String workDir = CoreKeys.WORK_DIR.name() + "=" + cluster.hdfs() + "/tmp/as-hive";
      alice.execute("set " + workDir);
      bob.execute("set " + workDir);
      Tables.create(alice, "hives");

      assertCommitted(alice.linesOfOurs(insert("hives", 7)));
      assertCommitted(bob.linesOfOurs(insert("hives", 8)));

      assertThat(bob.sortedRows("select * from hives")).containsExactly("7\t7", "8\t8");
      assertThat(principals(recording, ""))
          .isEqualTo(Set.of(SecureCluster.principal(SecureCluster.HIVE)));
      assertOwnedBy("hive", "/tmp/as-hive/zerorename-hive");
      cluster.assertRefused(ALICE, "/tmp/as-hive/zerorename-hive");
      assertThat(superuser("-ls", "/tmp/as-hive")).doesNotContain("alice", "bob");
    }
  }

  /** Kills HiveServer2 behind the decision, and starts the next. */
  private static void interruptInsertOfAlice(String table) throws Exception {
    // Closed with the connection's other end.
    Session alice = open(hive, ALICE);
    Tables.create(alice, table);
    alice.execute("set " + CoreKeys.INLINE_MAX_BYTES.name() + "=0");
    hive.killAt(new Kill(AFTER, PUT_OBJECT, DECISION, 1));
    assertThatThrownBy(() -> alice.execute(overwrite(table))).isInstanceOf(SQLException.class);
    hive.awaitDeath();
    hive.close();
    hive = start(installation, true);
  }

  private static String overwrite(String table) {
    return "insert overwrite table " + table + " partition (p) values (10, 1), (20, 2)";
  }

  private static String insert(String table, int value) {
    return "insert into " + table + " partition (p) values (" + value + ", " + value + ")";
  }

  private static void assertCommitted(List<String> lines) {
    assertThat(lines).anyMatch(line -> line.contains("zero-rename: committed"));
  }

  private static Set<String> principals(RequestRecording recording, String prefix) {
    return recording.requests().stream()
        .filter(request -> request.prefix().orElse(request.key()).startsWith(prefix))
        .map(SecureHiveServer2Test::principal)
        .collect(Collectors.toSet());
  }

  private static String principal(S3Request request) {
    Matcher found =
        PRINCIPAL.matcher(URLDecoder.decode(request.headers().getOrDefault("referer", ""), UTF_8));
    return found.find() ? found.group(1) : "nobody";
  }

  private static String superuser(String... command) throws Exception {
    return cluster.run(SecureCluster.SUPERUSER, command);
  }

  /** Only the user gets into the directory; below it, only the user reads files or writes. */
  private static void assertOwnedBy(String user, String directory) throws Exception {
    assertThat(superuser("-ls", "-d", directory)).matches("drwx------ +- " + user + " .*");
    assertThat(superuser("-ls", "-R", directory).lines().toList())
        .isNotEmpty()
        .allSatisfy(
            line ->
                assertThat(line)
                    .matches("(-rw-------|drwx[-r]-[-x][-r]-[-x]) +\\S+ +" + user + " .*"));
  }
}
