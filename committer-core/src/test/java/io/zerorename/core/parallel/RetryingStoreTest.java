package io.zerorename.core.parallel;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.ObjectSummary;
import io.zerorename.core.store.Refusal;
import io.zerorename.core.store.RepeatableBody;
import io.zerorename.core.store.RequestType;
import io.zerorename.core.store.StoreException;
import io.zerorename.core.store.StoreException.Kind;
import io.zerorename.core.store.UploadedPart;
import io.zerorename.testing.FaultPlan.Moment;
import io.zerorename.testing.ForwardingStore;
import io.zerorename.testing.InMemoryObjectStore;
import io.zerorename.testing.InMemoryObjectStore.Variant;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.util.functional.CallableRaisingIOE;
import org.apache.hadoop.util.functional.RemoteIterators;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What is sent again, for how long, and what the answers to several copies say. */
class RetryingStoreTest {
  private static final Duration BUDGET = Duration.ofMinutes(2);
  private static final RepeatableBody BODY = RepeatableBody.of("body".getBytes(UTF_8));

  private final InMemoryObjectStore bucket =
      new InMemoryObjectStore(
          "bucket", Variant.aws().withSecondCompleteRefused().withMinPartSize(1));
  private final SimulatedClock clock = new SimulatedClock();
  private final ObjectStore store = new RetryingStore(bucket, BUDGET, clock);

  private final class SimulatedClock implements Clock {
    private Duration now = Duration.ofDays(1);
    private final List<Long> pauses = new ArrayList<>();
    private Runnable beforePause = () -> {};
    private Duration ofEachFault = Duration.ZERO;

    @Override
    public Duration now() {
      return now.plus(ofEachFault.multipliedBy(bucket.faults().struck()));
    }

    @Override
    public void pause(Duration duration, String interrupted) throws InterruptedIOException {
      beforePause.run();
      Clock.sleep(Duration.ZERO, interrupted);
      pauses.add(duration.toMillis());
      now = now.plus(duration);
    }
  }

  /** As where no answer comes for 200 seconds. */
  private ObjectStore hanging() {
    clock.ofEachFault = Duration.ofSeconds(200);
    return store;
  }

  /** Requests of which a second copy changes nothing, each with what it needs. */
  enum Repeated {
    UPLOAD_PART(
        RequestType.UPLOAD_PART,
        store -> store.uploadPart("k", store.createUpload("k", Map.of()), 1, BODY)),
    COMPLETE(
        RequestType.COMPLETE_UPLOAD,
        store -> {
          String id = store.createUpload("k", Map.of());
          store.completeUpload("k", id, List.of(store.uploadPart("k", id, 1, BODY)));
        }),
    ABORT(
        RequestType.ABORT_UPLOAD,
        store -> store.abortUpload("k", store.createUpload("k", Map.of()))),
    LIST_PARTS(
        RequestType.LIST_PARTS, store -> store.listParts("k", store.createUpload("k", Map.of()))),
    LIST_UPLOADS(
        RequestType.LIST_UPLOADS,
        store -> {
          store.createUpload("k", Map.of());
          assertThat(RemoteIterators.toList(store.listUploads(""))).hasSize(1);
        }),
    LIST(RequestType.LIST, store -> RemoteIterators.toList(store.listObjects(""))),
    PUT(RequestType.PUT, store -> store.putObject("k", BODY, Map.of())),
    PUT_IF_ABSENT(RequestType.PUT, store -> store.putObjectIfAbsent("k", BODY, Map.of())),
    GET(
        RequestType.GET,
        store -> {
          store.putObject("k", BODY, Map.of());
          assertThat(store.getObject("k")).hasSize(4);
        }),
    HEAD(RequestType.HEAD, store -> store.headObject("k")),
    DELETE(RequestType.BULK_DELETE, store -> store.deleteObjects(List.of("k")));

    private interface Request {
      void sendTo(ObjectStore store) throws IOException;
    }

    private final RequestType type;

    // Without a state of its own.
    @SuppressWarnings("ImmutableEnumChecker")
    private final Request request;

    Repeated(RequestType type, Request request) {
      this.type = type;
      this.request = request;
    }
  }

  @ParameterizedTest
  @EnumSource(Repeated.class)
  void aMinuteOfErrorsIsRiddenOut(Repeated request) throws IOException {
    clock.beforePause =
        () -> {
          if (clock.now.compareTo(Duration.ofDays(1).plusSeconds(60)) >= 0) {
            bucket.faults().clear();
          }
        };
    bucket.faults().failFrom(request.type, 1, Moment.BEFORE_EFFECT, Kind.AMBIGUOUS);
    request.request.sendTo(store);
    assertThat(clock.pauses).hasSizeGreaterThan(5);
  }

  @Test
  void pausesGrowAndAreOfRandomLength() throws IOException {
    for (int i = 1; i <= 9; i++) {
      bucket.faults().fail(RequestType.HEAD, i, Moment.BEFORE_EFFECT, Kind.THROTTLED);
    }
    store.headObject("k");
    assertThat(bucket.requests()).isEqualTo(Map.of(RequestType.HEAD, 10L));
    long longest = 200;
    for (long pause : clock.pauses) {
      assertThat(pause).isBetween(longest / 2, longest);
      longest = Math.min(2 * longest, 10_000);
    }
  }

  @Test
  void atTheEndOfItsTimeItSaysWhatTheStoreSaidAndWhatToDo() {
    bucket.faults().failFrom(RequestType.HEAD, 1, Moment.BEFORE_EFFECT, Kind.THROTTLED);
    assertThat(catchThrowableOfType(StoreException.class, () -> store.headObject("k")))
        .hasMessageContaining("The bucket bucket takes too few requests")
        .hasMessageContaining("times in 120 seconds")
        .hasMessageContaining("zerorename.commit.threads")
        .hasMessageContaining("planned fault THROTTLED")
        .extracting(StoreException::kind)
        .isEqualTo(Kind.THROTTLED);
    bucket.faults().clear();
    ObjectStore another = new RetryingStore(bucket, BUDGET, clock);
    bucket.faults().failFrom(RequestType.HEAD, 1, Moment.BEFORE_EFFECT, Kind.AMBIGUOUS);
    assertThat(catchThrowableOfType(StoreException.class, () -> another.headObject("k")))
        .hasMessageContaining("times in 120 seconds")
        .hasMessageContaining("zerorename.retry.time")
        .hasMessageContaining("planned fault AMBIGUOUS")
        .extracting(StoreException::kind)
        .isEqualTo(Kind.AMBIGUOUS);
  }

  /** A task with many open files ends, for example. */
  @Test
  void whileTheStoreIsDownNotEachRequestWaitsAnew() throws IOException {
    bucket.faults().failAnyFrom(1, Moment.BEFORE_EFFECT, Kind.AMBIGUOUS);
    assertThatThrownBy(() -> store.headObject("k"));
    long sent = bucket.requests().get(RequestType.HEAD);
    assertThatThrownBy(() -> store.headObject("k")).hasMessageStartingWith("HEAD of");
    assertThat(bucket.requests()).isEqualTo(Map.of(RequestType.HEAD, sent + 1));
    bucket.faults().clear();
    store.headObject("k");
    bucket.faults().fail(RequestType.HEAD, 1, Moment.BEFORE_EFFECT, Kind.AMBIGUOUS);
    store.headObject("k");
    // What failed long ago says nothing of now.
    bucket.faults().failAnyFrom(1, Moment.BEFORE_EFFECT, Kind.AMBIGUOUS);
    assertThatThrownBy(() -> store.headObject("k"));
    bucket.faults().clear();
    clock.now = clock.now.plus(BUDGET).plusMillis(1);
    bucket.faults().fail(RequestType.HEAD, 1, Moment.BEFORE_EFFECT, Kind.AMBIGUOUS);
    store.headObject("k");
  }

  /** S3A waits for an answer for 200 seconds by default: a firewall may forget a connection. */
  @ParameterizedTest
  @EnumSource(
      value = Repeated.class,
      mode = EnumSource.Mode.EXCLUDE,
      names = {"COMPLETE", "PUT_IF_ABSENT", "DELETE"})
  void whatHangsForLongerThanItsTimeIsSentAgain(Repeated request) throws IOException {
    bucket.faults().fail(request.type, 1, Moment.BEFORE_EFFECT, Kind.AMBIGUOUS);
    request.request.sendTo(hanging());
    assertThat(bucket.faults().struck()).isEqualTo(1);
  }

  @Test
  void whileNothingIsAnsweredNotEachRequestThatHangsIsSentAgain() {
    bucket.faults().failAnyFrom(1, Moment.BEFORE_EFFECT, Kind.AMBIGUOUS);
    ObjectStore hanging = hanging();
    assertThatThrownBy(() -> hanging.headObject("k"));
    assertThatThrownBy(() -> hanging.headObject("k"));
    assertThat(bucket.faults().struck()).isEqualTo(3);
  }

  /** Others wait for it, and count on that time. */
  @Test
  void aCompleteThatHangsForLongerThanItsTimeIsNotSentAgain() throws IOException {
    String id = store.createUpload("k", Map.of());
    List<UploadedPart> parts = List.of(store.uploadPart("k", id, 1, BODY));
    bucket.faults().fail(RequestType.COMPLETE_UPLOAD, 1, Moment.BEFORE_EFFECT, Kind.AMBIGUOUS);
    assertThatThrownBy(() -> hanging().completeUpload("k", id, parts));
    assertThat(bucket.requests().get(RequestType.COMPLETE_UPLOAD)).isEqualTo(1);
  }

  @ParameterizedTest
  @EnumSource(
      value = Kind.class,
      mode = EnumSource.Mode.EXCLUDE,
      names = {"THROTTLED", "EXPIRED", "AMBIGUOUS"})
  void aRefusalIsNotSentAgain(Kind kind) {
    bucket.faults().fail(RequestType.GET, 1, Moment.BEFORE_EFFECT, kind);
    assertThat(catchThrowableOfType(StoreException.class, () -> store.getObject("k")).kind())
        .isEqualTo(kind);
    assertThat(bucket.requests()).isEqualTo(Map.of(RequestType.GET, 1L));
  }

  @Test
  void aCreateWhoseAnswerIsLostIsNotSentAgain() throws IOException {
    bucket.faults().fail(RequestType.CREATE_UPLOAD, 1, Moment.AFTER_EFFECT, Kind.AMBIGUOUS);
    assertThatThrownBy(() -> store.createUpload("k", Map.of()));
    assertThat(bucket.pendingKeys()).hasSize(1);
  }

  @Test
  void aCreateWhoseAnswerIsLostIsSentAgainForACallerWhoTakesNoteOfIt() throws IOException {
    bucket.faults().fail(RequestType.CREATE_UPLOAD, 1, Moment.AFTER_EFFECT, Kind.AMBIGUOUS);
    bucket.faults().fail(RequestType.CREATE_UPLOAD, 2, Moment.BEFORE_EFFECT, Kind.THROTTLED);
    List<Integer> lost = new ArrayList<>();
    String id = store.createUpload("k", Map.of(), () -> lost.add(bucket.pendingKeys().size()));
    assertThat(lost).containsExactly(1);
    assertThat(bucket.pendingKeys()).hasSize(2);
    store.completeUpload("k", id, List.of(store.uploadPart("k", id, 1, BODY)));
    assertThat(bucket.pendingKeys()).hasSize(1);
  }

  /** The object may be the first copy's own, or another's: its reader knows. */
  @Test
  void anObjectThatIsThereAfterALostAnswerIsLeftToTheCaller() throws IOException {
    bucket.faults().fail(RequestType.PUT, 1, Moment.AFTER_EFFECT, Kind.AMBIGUOUS);
    assertUnknown(Kind.PRECONDITION_FAILED, () -> store.putObjectIfAbsent("own", BODY, Map.of()));
    // Or, as S3 answers two writers at once, after a 409.
    bucket.plant("taken", "else".getBytes(UTF_8));
    bucket.faults().fail(RequestType.PUT, 1, Moment.BEFORE_EFFECT, Kind.AMBIGUOUS);
    assertUnknown(Kind.PRECONDITION_FAILED, () -> store.putObjectIfAbsent("taken", BODY, Map.of()));
    bucket.faults().fail(RequestType.PUT, 1, Moment.BEFORE_EFFECT, Kind.AMBIGUOUS);
    store.putObjectIfAbsent("free", BODY, Map.of());
    assertThat(bucket.requests()).isEqualTo(Map.of(RequestType.PUT, 6L));
  }

  /** The first copy may have had its effect, so nobody may say that it was refused. */
  @Test
  void aRefusalAfterALostAnswerProvesNothing() {
    bucket.faults().fail(RequestType.PUT, 1, Moment.AFTER_EFFECT, Kind.AMBIGUOUS);
    bucket.faults().fail(RequestType.PUT, 2, Moment.BEFORE_EFFECT, Kind.NO_CREDENTIALS);
    assertUnknown(Kind.NO_CREDENTIALS, () -> store.putObjectIfAbsent("k", BODY, Map.of()));
  }

  private static void assertUnknown(Kind lastAnswer, ThrowingCallable request) {
    StoreException failure = catchThrowableOfType(StoreException.class, request);
    assertThat(failure.kind()).isEqualTo(Kind.AMBIGUOUS);
    assertThat(failure.lastAnswer()).isEqualTo(lastAnswer);
  }

  @Test
  void anUploadThatIsGoneAfterALostAnswerMayBeComplete() throws IOException {
    String id = store.createUpload("k", Map.of());
    List<UploadedPart> parts = List.of(store.uploadPart("k", id, 1, BODY));
    bucket.faults().fail(RequestType.COMPLETE_UPLOAD, 1, Moment.AFTER_EFFECT, Kind.AMBIGUOUS);
    assertUnknown(Kind.NO_SUCH_UPLOAD, () -> store.completeUpload("k", id, parts));
    assertThat(
            catchThrowableOfType(StoreException.class, () -> store.completeUpload("k", id, parts))
                .kind())
        .isEqualTo(Kind.NO_SUCH_UPLOAD);
  }

  /** It may as well be that another process completes it. */
  @Test
  void anUploadThatIsGoneAfterALostAbortIsNotSaidToBeAborted() throws IOException {
    String id = store.createUpload("k", Map.of());
    bucket.faults().fail(RequestType.ABORT_UPLOAD, 1, Moment.AFTER_EFFECT, Kind.AMBIGUOUS);
    assertThat(catchThrowableOfType(StoreException.class, () -> store.abortUpload("k", id)).kind())
        .isEqualTo(Kind.NO_SUCH_UPLOAD);
  }

  @Test
  void aListingGoesOnWithThePageThatFailed() throws IOException {
    for (int i = 0; i < 2_500; i++) {
      bucket.plant("%04d".formatted(i), new byte[0]);
    }
    bucket.faults().fail(RequestType.LIST, 2, Moment.BEFORE_EFFECT, Kind.AMBIGUOUS);
    bucket.faults().fail(RequestType.LIST, 4, Moment.BEFORE_EFFECT, Kind.THROTTLED);
    RemoteIterator<ObjectSummary> listing = store.listObjects("");
    assertThat(RemoteIterators.toList(listing)).hasSize(2_500).doesNotHaveDuplicates();
    assertThat(bucket.requests()).isEqualTo(Map.of(RequestType.LIST, 5L));
  }

  @Test
  void theTimeOfAPageThatHangsCountsFromItsFirstFailure() {
    bucket.faults().failAnyFrom(1, Moment.BEFORE_EFFECT, Kind.AMBIGUOUS);
    assertThatThrownBy(() -> RemoteIterators.toList(hanging().listObjects("")));
    assertThat(bucket.faults().struck()).isEqualTo(2);
  }

  @Test
  void onlyTheKeysWithAnErrorOfTheMomentAreDeletedAgain() throws IOException {
    for (String key : List.of("a", "b", "c", "d")) {
      bucket.plant(key, new byte[0]);
    }
    bucket.faults().keep("b", 3, new Refusal("InternalError: We encountered", true));
    bucket.faults().keep("c", 9, new Refusal("AccessDenied: no", false));
    List<List<String>> sent = new ArrayList<>();
    ObjectStore seen =
        new ForwardingStore(bucket) {
          @Override
          public Map<String, Refusal> deleteObjects(
              java.util.Collection<String> keys, CallableRaisingIOE<Boolean> fresh)
              throws IOException {
            sent.add(List.copyOf(keys));
            return super.deleteObjects(keys, fresh);
          }
        };
    assertThat(
            new RetryingStore(seen, BUDGET, clock)
                .deleteObjects(List.of("a", "b", "c", "d"))
                .keySet())
        .containsExactly("c");
    assertThat(sent)
        .containsExactly(List.of("a", "b", "c", "d"), List.of("b"), List.of("b"), List.of("b"));
    assertThat(bucket.keys()).containsExactly("c");
  }

  /** What was compared long ago may be another's by now. */
  @Test
  void whatIsNotFreshAnyMoreIsNotDeleted() throws IOException {
    bucket.plant("a", new byte[0]);
    bucket.faults().keep("a", 9, new Refusal("SlowDown: less", true));
    assertThat(store.deleteObjects(List.of("a"), () -> deletes() < 2).get("a").reason())
        .isEqualTo("SlowDown: less");
    assertThat(deletes()).isEqualTo(2);
    assertThat(store.deleteObjects(List.of("a"), () -> false).get("a").passing()).isTrue();
    assertThat(deletes()).as("of the first either").isEqualTo(2);
  }

  /** The comparison ends between the requests that the store makes of one call. */
  @Test
  void aStoreThatTakesSeveralRequestsAsksBeforeEach() throws IOException {
    List<String> keys =
        IntStream.rangeClosed(0, ObjectStore.PAGE_SIZE).mapToObj(i -> "k" + i).toList();
    assertThat(store.deleteObjects(keys, () -> deletes() < 1))
        .containsOnlyKeys("k" + ObjectStore.PAGE_SIZE);
    assertThat(deletes()).isEqualTo(1);
  }

  private long deletes() {
    return bucket.requests().getOrDefault(RequestType.BULK_DELETE, 0L);
  }

  @Test
  void anInterruptEndsAPauseAndStaysSet() {
    clock.beforePause = Thread.currentThread()::interrupt;
    bucket.faults().fail(RequestType.HEAD, 1, Moment.BEFORE_EFFECT, Kind.THROTTLED);
    assertThatThrownBy(() -> store.headObject("k"))
        .isInstanceOf(InterruptedIOException.class)
        .hasMessage("Interrupted before a request was sent again");
    assertThat(Thread.interrupted()).isTrue();
    assertThat(bucket.requests()).isEqualTo(Map.of(RequestType.HEAD, 1L));
  }
}
