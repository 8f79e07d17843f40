package io.zerorename.core.s3a;

import static io.zerorename.testing.s3server.FaultRule.always;
import static io.zerorename.testing.s3server.FaultRule.type;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.zerorename.core.metrics.CommitterMetrics;
import io.zerorename.core.metrics.Metric;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.Refusal;
import io.zerorename.core.store.RepeatableBody;
import io.zerorename.core.store.StoreException;
import io.zerorename.core.store.StoreException.Kind;
import io.zerorename.core.store.UploadedPart;
import io.zerorename.testing.s3server.BucketContents;
import io.zerorename.testing.s3server.EmbeddedS3Server;
import io.zerorename.testing.s3server.Fault;
import io.zerorename.testing.s3server.FaultRule;
import io.zerorename.testing.s3server.RequestCounts;
import io.zerorename.testing.s3server.RequestType;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.management.ObjectName;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.core.SdkGlobalTime;

/** What failures of a real connection prove, and what a user reads. */
class S3AFailuresTest {
  private static final String BUCKET = "failures";
  private static final RepeatableBody BODY = RepeatableBody.of("x".getBytes(UTF_8));
  private static EmbeddedS3Server server;
  private static BucketContents contents;

  private TestStores stores;

  @BeforeAll
  static void start() throws IOException {
    server = EmbeddedS3Server.start();
    contents = server.createBucket(BUCKET);
  }

  @AfterAll
  static void stop() throws IOException {
    server.close();
  }

  @BeforeEach
  void open() {
    stores = TestStores.with(server.hadoopSettings(), Map.of());
  }

  @AfterEach
  void close() throws IOException {
    server.gateway().faults(FaultRule.NONE);
    stores.close();
    contents.clear("");
  }

  /** XAdminUserNotFound is versitygw's answer to an access key that it does not know. */
  @ParameterizedTest
  @CsvSource({
    "301, PermanentRedirect, REJECTED, fs.s3a.endpoint.region",
    "400, ExpiredToken, NO_CREDENTIALS, fs.s3a.aws.credentials.provider",
    "403, InvalidAccessKeyId, NO_CREDENTIALS, fs.s3a.aws.credentials.provider",
    "403, AccessDenied, ACCESS_DENIED, Grant these credentials the request on s3a://failures/dir/k",
    "404, XAdminUserNotFound, REJECTED, correct what the store complains about",
    "409, ConditionalRequestConflict, AMBIGUOUS, not known whether the request took effect",
    "412, PreconditionFailed, PRECONDITION_FAILED, An object of this name exists",
    "429, TooManyRequests, THROTTLED, zerorename.retry.time",
    "500, InternalError, AMBIGUOUS, not known whether the request took effect",
    "503, RequestLimitExceeded, THROTTLED, fewer requests per second",
    "503, ServiceUnavailable, AMBIGUOUS, not known whether the request took effect",
    "503, SlowDown, THROTTLED, fewer requests per second",
    "503, SlowDownWrite, AMBIGUOUS, not known whether the request took effect"
  })
  void anAnswerProvesWhatItsStatusAndCodeSay(int status, String code, Kind kind, String remedy)
      throws IOException {
    breakAll(RequestType.PUT_OBJECT, Fault.refuse(status, code));
    ObjectStore store = store();
    StoreException failure = failureOf(() -> store.putObjectIfAbsent("dir/k", BODY, Map.of()));
    assertThat(failure.kind()).isEqualTo(kind);
    assertThat(failure)
        .hasMessageContaining("PutObject (if absent) of s3a://failures/dir/k failed")
        .hasMessageContaining(code)
        .hasMessageContaining(remedy);
  }

  @Test
  void absentCredentialsAreNoRefusalOfRights() throws IOException {
    try (TestStores strangers =
        TestStores.with(
            server.hadoopSettings(), Map.of("fs.s3a.access.key", "", "fs.s3a.secret.key", ""))) {
      StoreException failure = failureOf(() -> strangers.of(BUCKET).getObject("k"));
      assertThat(failure.kind()).isEqualTo(Kind.NO_CREDENTIALS);
      assertThat(failure)
          .hasMessageContaining("s3a://failures/k")
          .hasMessageContaining("fs.s3a.aws.credentials.provider");
    }
  }

  /** As it would by fs.s3a.attempts.maximum, and tell only of the last answer. */
  @Test
  void s3asClientRepeatsNothingByItself() throws Exception {
    CommitterMetrics.add(Metric.THROTTLED, 0);
    long before = throttled();
    for (Fault fault :
        List.of(Fault.slowDown(), Fault.refuse(500, "InternalError"), Fault.loseAnswer())) {
      breakAll(RequestType.PUT_OBJECT, fault);
      RequestCounts counts = server.gateway().counts();
      failureOf(() -> store().putObject("k", BODY, Map.of()));
      assertThat(server.gateway().counts().minus(counts).of(RequestType.PUT_OBJECT)).isEqualTo(1);
    }
    assertThat(throttled() - before).isEqualTo(1);
  }

  private static long throttled() throws Exception {
    return (long)
        ManagementFactory.getPlatformMBeanServer()
            .getAttribute(new ObjectName(CommitterMetrics.NAME), "ThrottledAnswers");
  }

  /** The SDK signs the first request as on a machine whose clock is so many seconds ahead. */
  @ParameterizedTest
  @ValueSource(ints = {-7_200, 7_200})
  void aMachineWhoseClockIsHoursOffIsServedByTheStoresTime(int ahead) throws IOException {
    SdkGlobalTime.setGlobalTimeOffset(-ahead);
    try (TestStores patient =
        TestStores.with(server.hadoopSettings(), Map.of("zerorename.retry.time", "60"))) {
      ObjectStore store = patient.of(BUCKET);
      long before = server.gateway().counts().of(RequestType.PUT_OBJECT);

      store.putObject("k", BODY, Map.of());

      assertThat(contents.read("k")).asString().isEqualTo("x");
      // It was refused, and sent again.
      assertThat(server.gateway().counts().of(RequestType.PUT_OBJECT)).isEqualTo(before + 2);
      assertThat(SdkGlobalTime.getGlobalTimeOffset()).isBetween(-60, 60);
    } finally {
      SdkGlobalTime.setGlobalTimeOffset(0);
    }
  }

  /**
   * Or what was listed first would be taken for hours older than it is. By how much the SDK is
   * wrong here no store refuses.
   */
  @Test
  void aNewClientKnowsWhatTheSdkHasLearntOfTheTimeAndAListingOfUploadsTellsIt() throws IOException {
    SdkGlobalTime.setGlobalTimeOffset(-600);
    try (TestStores stores = TestStores.with(server.hadoopSettings(), Map.of())) {
      ObjectStore store = stores.of(BUCKET);
      assertThat(store.now()).isAfter(Instant.now().plusSeconds(500));
      assertThat(store.listUploads("none/").hasNext()).isFalse();
      assertThat(store.now()).isBefore(Instant.now().plusSeconds(60));
    } finally {
      SdkGlobalTime.setGlobalTimeOffset(0);
    }
  }

  @Test
  void anErrorInsideAnAnswerOfStatus200IsAmbiguous() throws IOException {
    for (String code : List.of("InternalError", "SlowDown")) {
      String error = "<Error><Code>" + code + "</Code><Message>We failed late</Message></Error>";
      try (CannedS3 canned = new CannedS3(200, error);
          TestStores late = TestStores.with(canned.hadoopSettings(), Map.of())) {
        UploadedPart part = new UploadedPart(1, "\"e\"", 1);
        StoreException failure =
            failureOf(() -> late.of("b").completeUpload("k", "id", List.of(part)));
        assertThat(failure.kind()).isEqualTo(Kind.AMBIGUOUS);
        assertThat(failure).hasMessageContaining(code + ": We failed late");
        assertThat(canned.requests()).isEqualTo(1);
      }
    }
  }

  /** DeleteObjects has the same status whatever became of its keys. */
  @Test
  void errorsOfTheMomentOfSingleKeysAreToldFromRefusals() throws IOException {
    StringBuilder answer = new StringBuilder("<DeleteResult>");
    List<String> passing =
        List.of(
            "InternalError",
            "SlowDown",
            "ServiceUnavailable",
            "RequestTimeout",
            "OperationAborted");
    List<String> codes = new ArrayList<>(passing);
    codes.addAll(List.of("AccessDenied", "MalformedXML", "NoSuchKey"));
    for (String code : codes) {
      answer
          .append("<Error><Key>of-" + code + "</Key><Code>" + code)
          .append("</Code><Message>Why</Message></Error>");
    }
    try (CannedS3 canned = new CannedS3(200, answer.append("</DeleteResult>").toString());
        TestStores late = TestStores.with(canned.hadoopSettings(), Map.of())) {
      Map<String, Refusal> refused =
          late.of("b").deleteObjects(codes.stream().map(code -> "of-" + code).toList());
      for (String code : passing) {
        assertThat(refused.remove("of-" + code)).isEqualTo(new Refusal(code + ": Why", true));
      }
      assertThat(refused)
          .hasToString("{of-AccessDenied=AccessDenied: Why, of-MalformedXML=MalformedXML: Why}")
          .allSatisfy((key, refusal) -> assertThat(refusal.passing()).isFalse());
      assertThat(canned.requests()).isEqualTo(1);
    }
  }

  @Test
  void anAnswerThatLacksWhatItMustHoldIsNoSuccess() throws IOException {
    try (CannedS3 canned = new CannedS3(200, "<Result/>").withoutEtag();
        TestStores confused = TestStores.with(canned.hadoopSettings(), Map.of())) {
      ObjectStore store = confused.of("b");
      UploadedPart part = new UploadedPart(1, "\"e\"", 1);
      for (ThrowingCallable request :
          List.<ThrowingCallable>of(
              () -> store.createUpload("k", Map.of()),
              () -> store.uploadPart("k", "id", 1, BODY),
              () -> store.completeUpload("k", "id", List.of(part)),
              () -> store.putObject("k", BODY, Map.of()),
              () -> store.listParts("k", "id"),
              () -> store.listObjects("k").hasNext())) {
        StoreException failure = failureOf(request);
        assertThat(failure.kind()).isEqualTo(Kind.AMBIGUOUS);
        assertThat(failure)
            .hasMessageContaining("s3a://b/k failed")
            .hasMessageContaining("answer to another request");
      }
      assertThat(canned.requests()).isEqualTo(6);
    }
  }

  @Test
  void aRefusedConnectionNamesTheEndpointSetting() throws IOException {
    int free;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      free = socket.getLocalPort();
    }
    try (TestStores nowhere =
        TestStores.with(
            server.hadoopSettings(), Map.of("fs.s3a.endpoint", "http://127.0.0.1:" + free))) {
      StoreException failure = failureOf(() -> nowhere.of(BUCKET).createUpload("k", Map.of()));
      assertThat(failure.kind()).isEqualTo(Kind.AMBIGUOUS);
      assertThat(failure)
          .hasMessageContaining("s3a://failures/k")
          .hasMessageContaining("refused")
          .hasMessageContaining("fs.s3a.endpoint");
    }
  }

  @Test
  void bytesThatCannotBeReadAreSaidToBe() {
    RepeatableBody unreadable =
        new RepeatableBody() {
          @Override
          public long length() {
            return 1;
          }

          @Override
          public java.io.InputStream open() throws IOException {
            throw new IOException("the spill file is gone");
          }
        };
    StoreException failure = failureOf(() -> store().uploadPart("k", "id", 1, unreadable));
    assertThat(failure)
        .hasMessageContaining("UploadPart 1 of s3a://failures/k")
        .hasMessageContaining("the spill file is gone")
        .hasMessageContaining("Look at the disk of this host")
        .hasMessageNotContaining("fs.s3a.");
  }

  private ObjectStore store() throws IOException {
    return stores.of(BUCKET);
  }

  private static void breakAll(RequestType type, Fault fault) {
    server.gateway().faults(always(type(type), fault));
  }

  private static StoreException failureOf(ThrowingCallable call) {
    return catchThrowableOfType(StoreException.class, call);
  }
}
