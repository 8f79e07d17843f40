package io.zerorename.core.s3a;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.RepeatableBody;
import io.zerorename.core.store.StoreException;
import io.zerorename.core.store.UploadedPart;
import io.zerorename.testing.net.LossyProxy;
import io.zerorename.testing.net.Mishap;
import io.zerorename.testing.net.MishapRule;
import io.zerorename.testing.s3server.BucketContents;
import io.zerorename.testing.s3server.EmbeddedS3Server;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The requests of a commit over a network on which one exchange goes wrong: a success is one, and a
 * failure says that it is not known whether the request took effect, or that it had none.
 */
class S3ANetworkTest {
  /**
   * For an answer that comes too late or not at all. A busy server needs less for the others, and
   * S3A takes no shorter one.
   */
  private static final Duration SHORT_WAIT = Duration.ofSeconds(15);

  private static final Duration LONG_WAIT = Duration.ofMinutes(1);

  /** When the client has given up. */
  private static final Duration LATER = SHORT_WAIT.plusSeconds(2);

  private static final long GIVE_UP_SECONDS = 120;
  private static final String BUCKET = "network";
  private static EmbeddedS3Server server;
  private static BucketContents contents;

  /** The requests whose failure could do harm, as their first bytes show them. */
  enum Request {
    CREATE("POST \\S+\\?uploads\\b"),
    UPLOAD_PART("PUT \\S+[?&]partNumber="),
    ENTRY("PUT \\S+/entry[ ?]"),
    COMPLETE("POST \\S+\\?uploadId="),
    BULK_DELETE("POST \\S+\\?delete\\b");

    private final Pattern firstBytes;

    Request(String firstBytes) {
      this.firstBytes = Pattern.compile(firstBytes);
    }

    Predicate<MishapRule.Exchange> exchanges() {
      Predicate<MishapRule.Exchange> head =
          exchange -> firstBytes.matcher(exchange.firstBytes()).lookingAt();
      return firstBytes.pattern().startsWith("PUT") ? after(head) : head;
    }

    /** The SDK sends a body after "100 Continue", so that it is an exchange of its own. */
    private static Predicate<MishapRule.Exchange> after(Predicate<MishapRule.Exchange> head) {
      Map<Integer, Integer> heads = new ConcurrentHashMap<>();
      return exchange -> {
        if (head.test(exchange)) {
          heads.put(exchange.connection(), exchange.number());
        }
        return exchange.number() - 1 == heads.getOrDefault(exchange.connection(), -1);
      };
    }
  }

  @BeforeAll
  static void start() throws IOException {
    server = EmbeddedS3Server.start();
    contents = server.createBucket(BUCKET);
  }

  @AfterAll
  static void stop() throws IOException {
    server.close();
  }

  /** To wait for an answer that does not come takes long, so that one request is enough for it. */
  static Stream<Arguments> mishaps() {
    Stream<Arguments> quick =
        Stream.of(Request.values())
            .flatMap(
                request ->
                    Stream.of(
                            new Mishap.Drop(),
                            new Mishap.Reset(),
                            new Mishap.CutAnswer(0),
                            new Mishap.CutAnswer(20),
                            new Mishap.CutAnswer(200),
                            new Mishap.ResetAnswer(20),
                            new Mishap.RepeatAnswer())
                        .map(mishap -> Arguments.of(request, mishap, LONG_WAIT)));
    Stream<Arguments> silent =
        Stream.of(new Mishap.Delay(LATER), new Mishap.SwallowAnswer())
            .map(mishap -> Arguments.of(Request.COMPLETE, mishap, SHORT_WAIT));
    return Stream.concat(quick, silent);
  }

  @ParameterizedTest
  @MethodSource("mishaps")
  void aSuccessIsOneAndAFailureClaimsNothingThatIsNotSo(
      Request request, Mishap mishap, Duration clientWaits) throws Exception {
    contents.clear("");
    contents.write("old", "old".getBytes(UTF_8));
    try (LossyProxy network =
            LossyProxy.start(
                new InetSocketAddress(server.endpoint().getHost(), server.endpoint().getPort()));
        TestStores stores =
            TestStores.with(
                server.hadoopSettings(),
                Map.of(
                    "fs.s3a.endpoint",
                    "http://127.0.0.1:" + network.address().getPort(),
                    "fs.s3a.connection.timeout",
                    clientWaits.toMillis() + "ms"))) {
      network.rule(MishapRule.first(1, request.exchanges(), mishap));
      try {
        commit(stores.of(BUCKET));
        awaitLateExchanges(network);
        assertThat(contents.objects("")).containsOnlyKeys("entry", "new");
      } catch (StoreException e) {
        awaitLateExchanges(network);
        if (e.kind() != StoreException.Kind.AMBIGUOUS) {
          // Of a Complete whose part got the answer to another request.
          assertThat(e.kind()).as(e.getMessage()).isEqualTo(StoreException.Kind.REJECTED);
          assertThat(contents.objects("")).doesNotContainKey("new");
        }
      }
      assertThat(network.struck()).isEqualTo(1);
      Set<String> there = contents.objects("").keySet();
      assertThat(there).containsAnyOf("old", "new");
      for (String key : there) {
        assertThat(contents.read(key)).asString(UTF_8).isEqualTo(key);
      }
    }
  }

  /** In its order; each object holds its key. */
  private static void commit(ObjectStore store) throws IOException {
    String upload = store.createUpload("new", Map.of());
    UploadedPart part = store.uploadPart("new", upload, 1, body("new"));
    store.putObjectIfAbsent("entry", body("entry"), Map.of());
    store.completeUpload("new", upload, List.of(part));
    store.deleteObjects(List.of("old"));
  }

  private static RepeatableBody body(String content) {
    return RepeatableBody.of(content.getBytes(UTF_8));
  }

  /** Until everything that was held up has reached the server and been answered. */
  private static void awaitLateExchanges(LossyProxy network) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(GIVE_UP_SECONDS);
    while (network.inMotion() > 0) {
      assertThat(System.nanoTime()).as("an exchange did not end").isLessThan(end);
      TimeUnit.MILLISECONDS.sleep(5);
    }
  }
}
