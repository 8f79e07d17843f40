package io.zerorename.core.s3a;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.RepeatableBody;
import io.zerorename.core.store.StoreException;
import io.zerorename.core.store.UploadedPart;
import io.zerorename.testing.process.Await;
import io.zerorename.testing.s3server.BucketContents;
import io.zerorename.testing.s3server.EmbeddedS3Server;
import io.zerorename.testing.s3server.Fault;
import io.zerorename.testing.s3server.FaultRule;
import io.zerorename.testing.s3server.RequestType;
import io.zerorename.testing.s3server.S3Gateway;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.apache.hadoop.fs.s3a.impl.AWSClientConfig;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The requests of a commit over a network on which one request goes wrong: a success is one, and a
 * failure says that it is not known whether the request took effect, or that it had none.
 */
class S3ANetworkTest {
  /** For an answer that comes too late or not at all. A busy server needs less for the others. */
  private static final Duration SHORT_WAIT = Duration.ofSeconds(6);

  private static final Duration LONG_WAIT = Duration.ofMinutes(1);

  /** When the client has given up. */
  private static final Duration LATER = SHORT_WAIT.plusSeconds(2);

  private static final String BUCKET = "network";
  private static EmbeddedS3Server server;
  private static BucketContents contents;

  @BeforeAll
  static void start() throws IOException {
    // By itself S3A waits for 15 seconds at least.
    AWSClientConfig.setMinimumOperationDuration(SHORT_WAIT);
    server = EmbeddedS3Server.start();
    contents = server.createBucket(BUCKET);
  }

  @AfterAll
  static void stop() throws IOException {
    AWSClientConfig.resetMinimumOperationDuration();
    server.close();
  }

  /** To wait for an answer that does not come takes long, so that one request is enough for it. */
  static Stream<Arguments> faults() {
    Stream<Arguments> silent =
        Stream.of(Fault.delay(LATER), new Fault.SwallowAnswer())
            .map(fault -> Arguments.of(RequestType.COMPLETE_MULTIPART_UPLOAD, fault, SHORT_WAIT));
    return Stream.concat(
        quickFaults(RequestType.PUT_OBJECT, RequestType.COMPLETE_MULTIPART_UPLOAD), silent);
  }

  static Stream<Arguments> faultsOfOtherRequests() {
    return quickFaults(
        RequestType.CREATE_MULTIPART_UPLOAD, RequestType.UPLOAD_PART, RequestType.DELETE_OBJECTS);
  }

  private static Stream<Arguments> quickFaults(RequestType... requests) {
    return Stream.of(requests)
        .flatMap(
            request ->
                Stream.of(
                        Fault.cutBeforeForwarding(),
                        new Fault.CutBeforeForwarding(true),
                        Fault.loseAnswer(),
                        new Fault.CutAnswer(20, false),
                        new Fault.CutAnswer(200, false),
                        new Fault.CutAnswer(20, true),
                        new Fault.RepeatAnswer())
                    .map(fault -> Arguments.of(request, fault, LONG_WAIT)));
  }

  @ParameterizedTest
  @MethodSource("faults")
  void aSuccessIsOneAndAFailureClaimsNothingThatIsNotSo(
      RequestType request, Fault fault, Duration clientWaits) throws Exception {
    contents.clear("");
    contents.write("old", "old".getBytes(UTF_8));
    AtomicInteger requests = new AtomicInteger();
    try (S3Gateway network = server.newGateway()) {
      network.faults(
          FaultRule.always(it -> it.type() == request && requests.incrementAndGet() == 1, fault));
      Optional<StoreException> failure = commit(network, clientWaits);
      // Until everything that was held up has reached the server and been answered.
      Await.until("the gateway has answered each request", network::isQuiet);
      if (failure.isEmpty()) {
        assertThat(contents.objects("")).containsOnlyKeys("entry", "new");
      } else if (failure.get().kind() != StoreException.Kind.AMBIGUOUS) {
        // Of a Complete whose part got the answer to another request.
        assertThat(failure.get().kind())
            .as(failure.get().getMessage())
            .isEqualTo(StoreException.Kind.REJECTED);
        assertThat(contents.objects("")).doesNotContainKey("new");
      }
      assertThat(requests).hasPositiveValue();
      Set<String> there = contents.objects("").keySet();
      assertThat(there).containsAnyOf("old", "new");
      for (String key : there) {
        assertThat(contents.read(key)).asString(UTF_8).isEqualTo(key);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("faultsOfOtherRequests")
  @Tag("thorough")
  void soItIsWithTheOtherRequests(RequestType request, Fault fault, Duration clientWaits)
      throws Exception {
    aSuccessIsOneAndAFailureClaimsNothingThatIsNotSo(request, fault, clientWaits);
  }

  /**
   * Commits through a client of its own. Its end closes connections at which the gateway waits for
   * the rest of a request that was answered by another's answer.
   */
  private static Optional<StoreException> commit(S3Gateway network, Duration clientWaits)
      throws IOException {
    try (TestStores stores =
        TestStores.with(
            server.hadoopSettings(network),
            Map.of("fs.s3a.connection.timeout", clientWaits.toMillis() + "ms"))) {
      commit(stores.of(BUCKET));
      return Optional.empty();
    } catch (StoreException e) {
      return Optional.of(e);
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
}
