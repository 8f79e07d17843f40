package io.zerorename.testing.spark;

import static io.zerorename.testing.s3server.RequestType.COMPLETE_MULTIPART_UPLOAD;
import static io.zerorename.testing.s3server.RequestType.PUT_OBJECT;
import static org.assertj.core.api.Assertions.assertThat;

import com.example.Orders;
import io.zerorename.testing.process.Await;
import io.zerorename.testing.process.ChildJvm;
import io.zerorename.testing.process.Kill;
import io.zerorename.testing.process.Kill.Side;
import io.zerorename.testing.s3server.HeldRequests;
import io.zerorename.testing.sparkjvm.SparkSubmit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a scheduler does: it types {@code spark-submit}, and types it again. */
@Tag("thorough")
@Tag(SparkOnS3.ONE_VERSION)
final class RepeatedSubmitTest {
  /** Of the program: one in each of two partitions. */
  private static final int FILES = 2;

  /** At least, of its commit. */
  private static final int REQUESTS = 7;

  @RegisterExtension static final SparkOnS3 s3 = SparkOnS3.withCommitProtocol("local[2]", Map.of());
  private static SparkSubmit submit;

  @BeforeAll
  static void prepare() throws IOException {
    Map<String, String> settings = new TreeMap<>();
    s3.settings()
        .forEach(it -> settings.put(it.replaceFirst("=.*", ""), it.replaceFirst("[^=]*=", "")));
    settings.put("spark.orders.table", s3.s3a("orders"));
    // One by one, so that no request is under way when another is that of the kill.
    settings.put("spark.hadoop.zerorename.commit.threads", "1");
    submit =
        SparkSubmit.in(
            Files.createDirectory(s3.directory().resolve("submit")),
            ChildJvm.Command.of(Orders.class).withOptions(ChildJvm.UNVERIFIED).withModulesOpen(),
            Path.of(Orders.class.getProtectionDomain().getCodeSource().getLocation().getPath()),
            settings);
  }

  private static List<Long> read() {
    return Numbers.ids(s3.spark().read().parquet(s3.s3a("orders")));
  }

  private static void assertOnce() {
    assertThat(read()).isEqualTo(Numbers.range(0, Orders.ORDERS));
  }

  private static boolean isKilled(Kill kill) throws Exception {
    return submit.isKilled(kill, FILES, s3.gateway());
  }

  @ParameterizedTest
  @EnumSource(Side.class)
  void rowsAreThereOnceWhereverTheDriverIsKilled(Side side) throws Exception {
    int undecided = 0;
    int decided = 0;
    while (isKilled(new Kill(side, Optional.empty(), "", undecided + decided + 1))) {
      boolean isDecided =
          s3.bucket().objects("").keySet().stream().anyMatch(key -> key.matches(".*/log/_\\d+"));
      submit.succeed();
      assertOnce();
      if (isDecided) {
        s3.assertNoneCopiedNonePending();
        decided++;
      } else {
        undecided++;
      }
      s3.reset();
    }
    assertOnce();
    assertThat(undecided).isPositive();
    assertThat(decided).isGreaterThan(FILES);
    assertThat(undecided + decided).isGreaterThanOrEqualTo(REQUESTS);
  }

  @Test
  void ofTwoRepetitionsThatDecideAtTheSameMomentOneWrites() throws Exception {
    assertThat(isKilled(new Kill(Side.BEFORE, PUT_OBJECT, "/log/", 1))).isTrue();
    assertOnceOfTwo(new HeldRequests(1, SparkOnS3.DECISION));
  }

  @Test
  void twoRepetitionsThatCompleteAtTheSameMomentWriteNothing() throws Exception {
    assertThat(isKilled(new Kill(Side.BEFORE, COMPLETE_MULTIPART_UPLOAD, 2))).isTrue();
    assertOnceOfTwo(new HeldRequests(1, SparkOnS3.COMPLETE));
    s3.assertNoneCopiedNonePending();
  }

  private static void assertOnceOfTwo(HeldRequests held) throws Exception {
    s3.gateway().faults(held);
    try (ChildJvm first = submit.start();
        ChildJvm second = submit.start()) {
      Await.until("both at it", () -> held.seen() >= 2);
      held.pass();
      SparkSubmit.succeeds(first);
      SparkSubmit.succeeds(second);
    }
    assertOnce();
  }
}
