package io.zerorename.hiveserver2;

import static io.zerorename.testing.s3server.RequestType.PUT_OBJECT;
import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.testing.docs.Command;
import io.zerorename.testing.docs.Page;
import io.zerorename.testing.docs.SourceTree;
import io.zerorename.testing.process.Await;
import io.zerorename.testing.process.ChildJvm;
import io.zerorename.testing.process.Kill;
import io.zerorename.testing.s3server.BucketContents;
import io.zerorename.testing.s3server.EmbeddedS3Server;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A scheduler's task is {@code beeline -f}, with the command of the page of retries: it appends
 * rows. HiveServer2 is killed behind the decision, is started again, and the task is repeated as it
 * is.
 */
@Tag("thorough")
class RepeatedRunTest {
  /** As in the command of the page. */
  private static final String FILE = "load.sql";

  @TempDir private static Path home;

  @Test
  void theCommandOfThePageAppendsItsRowsOnce() throws Exception {
    Files.writeString(
        home.resolve(FILE), "insert into orders partition (p) values (1, 1), (2, 1), (3, 2);\n");
    try (EmbeddedS3Server server = EmbeddedS3Server.start()) {
      BucketContents bucket = server.createBucket(HiveServer2OnS3.BUCKET);
      Installation installation = Installation.in(home);
      try (HiveServer2Process hive = HiveServer2Process.start(installation, server, Map.of())) {
        try (Session session = hive.open()) {
          Tables.create(session, "orders");
        }
        hive.killAt(new Kill(Kill.Side.AFTER, PUT_OBJECT, "/log/_9", 1));
        try (ChildJvm first = beeline(hive)) {
          first.awaitEnd(Await.LIMIT);
          assertThat(first.exitCode()).as(first.lastOutput()).isNotZero();
        }
        hive.awaitDeath();
      }
      try (HiveServer2Process hive = HiveServer2Process.start(installation, server, Map.of())) {
        try (ChildJvm again = beeline(hive)) {
          again.awaitEnd(Await.LIMIT);
          assertThat(again.exitCode()).as(again.lastOutput()).isZero();
          assertThat(again.lastOutput()).contains("ZR-1136: ");
        }
        try (Session session = hive.open()) {
          assertThat(session.sortedRows("select * from orders"))
              .containsExactly("1\t1", "2\t1", "3\t2");
        }
      }
      assertThat(bucket.pendingUploads("")).isEmpty();
    }
  }

  /** The program of Hive 3.1.3, since later ones do not resolve, with HiveServer2's own driver. */
  private static ChildJvm beeline(HiveServer2Process hive) throws Exception {
    List<String> commands =
        Page.of(SourceTree.root().resolve("docs/retries.md")).code().stream()
            .filter(code -> code.startsWith("beeline "))
            .toList();
    assertThat(commands).singleElement().asString().contains("-f " + FILE).endsWith(" …");
    List<String> arguments = new ArrayList<>(List.of("-u", hive.url(), "-n", "user"));
    arguments.addAll(Command.of(commands.get(0).replace(" …", "")).arguments());
    return ChildJvm.start(
        new ChildJvm.Command(
                "org.apache.hive.beeline.BeeLine",
                System.getProperty("java.class.path"),
                List.of("-Xmx256m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"),
                arguments,
                Map.of())
            .withModulesOpen(),
        home.resolve("beeline.log"));
  }
}
