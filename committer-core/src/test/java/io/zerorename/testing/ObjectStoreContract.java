package io.zerorename.testing;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.zerorename.core.store.ObjectHead;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.ObjectSummary;
import io.zerorename.core.store.PendingUploadSummary;
import io.zerorename.core.store.Refusal;
import io.zerorename.core.store.RepeatableBody;
import io.zerorename.core.store.StoreException;
import io.zerorename.core.store.StoreException.Kind;
import io.zerorename.core.store.UploadedPart;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.net.URLDecoder;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.hadoop.util.functional.RemoteIterators;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** What the committer relies on, to be run against every store that it is to work with. */
public abstract class ObjectStoreContract {
  private static final int MIN_PART = 5 << 20;

  /** Requests of one {@code deleteObjects}. */
  private static final int MOST_DELETES = 2;

  private final String prefix = "contract/" + UUID.randomUUID() + "/";
  private final String key = prefix + "file";

  protected abstract ObjectStore store() throws IOException;

  /** In what the store is known to differ; the contract checks that it does. */
  protected Set<StoreDifference> differences() {
    return Set.of();
  }

  @Test
  public void anUploadIsInvisibleUntilItIsComplete() throws IOException {
    String uploadId = store().createUpload(key, Map.of());
    UploadedPart part = store().uploadPart(key, uploadId, 1, body("hello"));
    assertThat(store().headObject(key)).isEmpty();
    assertThat(keys(prefix)).isEmpty();
    assertThat(part.number()).isEqualTo(1);
    assertThat(part.size()).isEqualTo(5);

    store().completeUpload(key, uploadId, List.of(part));
    assertThat(store().getObject(key)).asString().isEqualTo("hello");
    assertThat(keys(prefix)).containsExactly(key);

    // A second one succeeds or finds no upload, and changes nothing.
    succeedsOr(Kind.NO_SUCH_UPLOAD, () -> store().completeUpload(key, uploadId, List.of(part)));
    assertThat(uploadIds(key)).isEmpty();
    assertThat(store().getObject(key)).asString().isEqualTo("hello");
  }

  @Test
  public void partsAreJoinedInOrderWhateverTheOrderOfTheirArrival() throws IOException {
    byte[] first = random(MIN_PART, 1);
    byte[] second = random(MIN_PART + 1, 2);
    byte[] third = random(10, 3);
    String uploadId = store().createUpload(key, Map.of());
    UploadedPart three = store().uploadPart(key, uploadId, 3, RepeatableBody.of(third));
    UploadedPart two = store().uploadPart(key, uploadId, 2, RepeatableBody.of(second));
    UploadedPart one = store().uploadPart(key, uploadId, 1, RepeatableBody.of(first));
    store().completeUpload(key, uploadId, List.of(one, two, three));

    int size = first.length + second.length + third.length;
    assertThat(store().getObject(key))
        .isEqualTo(ByteBuffer.allocate(size).put(first).put(second).put(third).array());
  }

  @Test
  public void noRequestIsSentUnderAnInterrupt() throws IOException {
    ObjectStore store = store();
    String uploadId = store.createUpload(key, Map.of());
    Thread.currentThread().interrupt();
    try {
      assertThatThrownBy(() -> store.abortUpload(key, uploadId))
          .isInstanceOf(InterruptedIOException.class);
      assertThatThrownBy(() -> store.uploadPart(key, uploadId, 1, body("x")))
          .isInstanceOf(InterruptedIOException.class);
      assertThatThrownBy(() -> store.headObject(key)).isInstanceOf(InterruptedIOException.class);
    } finally {
      assertThat(Thread.interrupted()).as("interrupted").isTrue();
    }
    assertThat(RemoteIterators.toList(store.listUploads(key))).as("not aborted").hasSize(1);
    store.abortUpload(key, uploadId);
  }

  @Test
  public void anEmptyFileIsOneEmptyPart() throws IOException {
    if (differsIn(StoreDifference.REFUSES_EMPTY_CONTENT)) {
      assertFails(Kind.REJECTED, () -> complete(key, "", Map.of()));
      return;
    }
    String upload = store().createUpload(key, Map.of());
    UploadedPart part = store().uploadPart(key, upload, 1, body(""));
    assertThat(store().listParts(key, upload)).hasSize(1);
    store().completeUpload(key, upload, List.of(part));
    assertThat(store().headObject(key)).map(ObjectHead::size).contains(0L);
    assertThat(store().getObject(key)).isEmpty();
  }

  @Test
  public void completeReplacesAnObjectByOneWithTheMetadataGivenAtCreate() throws IOException {
    store().putObject(key, body("old"), Map.of());
    complete(key, "new", Map.of("zerorename-id", "some-uuid"));
    assertThat(store().getObject(key)).asString().isEqualTo("new");
    assertThat(store().headObject(key).orElseThrow().metadata())
        .containsEntry("zerorename-id", "some-uuid");
  }

  @Test
  public void completeWithAWrongEtagIsRejected() throws IOException {
    String uploadId = store().createUpload(key, Map.of());
    store().uploadPart(key, uploadId, 1, body("x"));
    UploadedPart wrong = new UploadedPart(1, "\"d41d8cd98f00b204e9800998ecf8427e\"", 1);
    assertFails(Kind.REJECTED, () -> store().completeUpload(key, uploadId, List.of(wrong)));
    assertThat(store().headObject(key)).isEmpty();
  }

  @Test
  public void completeWithASmallPartBeforeTheLastIsRejected() throws IOException {
    String uploadId = store().createUpload(key, Map.of());
    UploadedPart one = store().uploadPart(key, uploadId, 1, body("a"));
    UploadedPart two = store().uploadPart(key, uploadId, 2, body("b"));
    if (differsIn(StoreDifference.TAKES_SMALL_PARTS)) {
      store().completeUpload(key, uploadId, List.of(one, two));
      assertThat(store().getObject(key)).asString().isEqualTo("ab");
    } else {
      assertFails(Kind.REJECTED, () -> store().completeUpload(key, uploadId, List.of(one, two)));
      assertThat(store().headObject(key)).isEmpty();
      store().abortUpload(key, uploadId);
    }
  }

  @Test
  public void anAbortedUploadCannotBeCompletedAndALatePartIsRefusedOrNeverSeen()
      throws IOException {
    String uploadId = store().createUpload(key, Map.of());
    UploadedPart part = store().uploadPart(key, uploadId, 1, body("x"));
    store().abortUpload(key, uploadId);
    assertFails(
        differsIn(StoreDifference.FAILS_AT_COMPLETES_OF_UPLOADS_THAT_ARE_OVER)
            ? Kind.AMBIGUOUS
            : overUpload(),
        () -> store().completeUpload(key, uploadId, List.of(part)));
    succeedsOr(Kind.NO_SUCH_UPLOAD, () -> store().abortUpload(key, uploadId));
    assertThat(uploadIds(key)).isEmpty();
    if (differsIn(StoreDifference.TAKES_PARTS_AFTER_ABORT)) {
      UploadedPart late = store().uploadPart(key, uploadId, 1, body("x"));
      assertFails(Kind.NO_SUCH_UPLOAD, () -> store().completeUpload(key, uploadId, List.of(late)));
    } else {
      assertFails(overUpload(), () -> store().uploadPart(key, uploadId, 1, body("x")));
    }
    assertThat(store().headObject(key)).isEmpty();
  }

  @Test
  public void uploadsOfAKeyAreListedByTheirExactKey() throws IOException {
    String first = store().createUpload(key, Map.of());
    String second = store().createUpload(key, Map.of());
    assertThat(uploadIds(key)).containsExactlyInAnyOrder(first, second);
    store().abortUpload(key, first);
    assertThat(uploadIds(key)).containsExactly(second);
    store().abortUpload(key, second);
  }

  @Test
  public void uploadsAreListedByPrefix() throws IOException {
    Map<String, String> uploads = new TreeMap<>();
    for (String name : List.of("a", "p=1/a b", "p=1/a%3Ab", "p=1/a+b", "p=1/é")) {
      uploads.put(prefix + name, store().createUpload(prefix + name, Map.of()));
    }
    Map<String, String> listed = new TreeMap<>();
    RemoteIterators.foreach(
        store().listUploads(prefix), upload -> listed.put(upload.key(), upload.uploadId()));
    if (differsIn(StoreDifference.LISTS_UPLOADS_AS_IF_ENCODED)) {
      assertThat(listed.keySet())
          .isEqualTo(
              uploads.keySet().stream()
                  .map(key -> URLDecoder.decode(key, UTF_8))
                  .collect(Collectors.toSet()));
    } else {
      assertThat(listed)
          .isEqualTo(differsIn(StoreDifference.LISTS_UPLOADS_BY_EXACT_KEY) ? Map.of() : uploads);
    }
    for (Map.Entry<String, String> upload : uploads.entrySet()) {
      store().abortUpload(upload.getKey(), upload.getValue());
    }
  }

  @Test
  public void partsAreListedInOrderAsCompleteMustNameThem() throws IOException {
    String uploadId = store().createUpload(key, Map.of());
    assertThat(store().listParts(key, uploadId)).isEmpty();
    UploadedPart ten = store().uploadPart(key, uploadId, 10, body("last"));
    UploadedPart replaced = store().uploadPart(key, uploadId, 2, body("replaced"));
    UploadedPart two = store().uploadPart(key, uploadId, 2, RepeatableBody.of(random(MIN_PART, 1)));
    List<UploadedPart> parts = store().listParts(key, uploadId);
    if (differsIn(StoreDifference.LISTS_ETAGS_OF_PARTS_WITHOUT_QUOTES)) {
      assertThat(parts).containsExactly(withoutQuotes(two), withoutQuotes(ten));
    } else if (differsIn(StoreDifference.LISTS_REPLACED_PARTS)) {
      assertThat(parts).containsExactlyInAnyOrder(replaced, two, ten);
      parts = List.of(two, ten);
    } else {
      assertThat(parts).containsExactly(two, ten);
    }
    store().completeUpload(key, uploadId, parts);
    assertThat(store().headObject(key)).map(ObjectHead::size).contains(MIN_PART + 4L);
  }

  @Test
  public void thereAreNoPartsOfAnUploadThatIsOverOrNeverWas() throws IOException {
    PartlyUploaded completed = upload("x");
    store().completeUpload(key, completed.id(), completed.parts());
    assertHasNoParts(completed.id());
    String aborted = upload("x").id();
    store().abortUpload(key, aborted);
    assertHasNoParts(aborted);
    assertHasNoParts(UUID.randomUUID().toString());
  }

  @Test
  public void partsAreListedPastOnePage() throws IOException {
    String uploadId = store().createUpload(key, Map.of());
    List<Integer> numbers = IntStream.rangeClosed(1, ObjectStore.PAGE_SIZE + 1).boxed().toList();
    numbers.parallelStream()
        .forEach(number -> sent(() -> store().uploadPart(key, uploadId, number, body("x"))));
    assertThat(store().listParts(key, uploadId))
        .extracting(UploadedPart::number)
        .containsExactlyElementsOf(numbers);
    store().abortUpload(key, uploadId);
  }

  @Test
  public void putReplacesAndReturnsTheEtagThatHeadShows() throws IOException {
    assertThat(store().headObject(key)).isEmpty();
    assertFails(Kind.NOT_FOUND, () -> store().getObject(key));
    assertThatThrownBy(() -> store().getObject(key))
        .hasMessageContaining("GetObject of s3a://" + store().bucket() + "/" + key);
    store().putObject(key, body("old"), Map.of());
    String etag = store().putObject(key, body("new"), Map.of("owner", "me"));
    ObjectHead head = store().headObject(key).orElseThrow();
    assertThat(head.etag()).isEqualTo(etag);
    assertThat(head.metadata()).containsEntry("owner", "me");
    assertThat(store().getObject(key)).asString().isEqualTo("new");
  }

  @Test
  public void conditionalPutSucceedsOnce() throws IOException {
    store().putObjectIfAbsent(key, body("first"), Map.of());
    if (differsIn(StoreDifference.IGNORES_CONDITIONS)) {
      store().putObjectIfAbsent(key, body("second"), Map.of());
      assertThat(store().getObject(key)).asString().isEqualTo("second");
    } else {
      assertFails(
          Kind.PRECONDITION_FAILED, () -> store().putObjectIfAbsent(key, body("second"), Map.of()));
      assertThat(store().getObject(key)).asString().isEqualTo("first");
    }
  }

  @Test
  public void ofConcurrentConditionalPutsOneSucceeds() throws Exception {
    ExecutorService pool = Executors.newFixedThreadPool(4);
    try {
      List<Future<Boolean>> attempts = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        RepeatableBody body = body("writer " + i);
        attempts.add(
            pool.submit(
                () -> {
                  Optional<Kind> failure =
                      failure(() -> store().putObjectIfAbsent(key, body, Map.of()));
                  failure.ifPresent(
                      it -> assertThat(it).isIn(Kind.PRECONDITION_FAILED, Kind.AMBIGUOUS));
                  return failure.isEmpty();
                }));
      }
      int winners = 0;
      for (Future<Boolean> attempt : attempts) {
        winners += attempt.get() ? 1 : 0;
      }
      if (differsIn(StoreDifference.IGNORES_CONDITIONS)) {
        assertThat(winners).isEqualTo(4);
      } else if (differsIn(StoreDifference.LETS_CONDITIONS_RACE)) {
        assertThat(winners).isPositive();
      } else {
        assertThat(winners).isEqualTo(1);
      }
    } finally {
      pool.shutdownNow();
    }
  }

  @Test
  public void aConditionalCompleteNeverReplacesAnObject() throws IOException {
    PartlyUploaded first = upload("first");
    store().completeUploadIfAbsent(key, first.id(), first.parts());
    assertThat(store().getObject(key)).asString().isEqualTo("first");

    PartlyUploaded second = upload("second");
    if (differsIn(StoreDifference.IGNORES_CONDITIONS)
        || differsIn(StoreDifference.IGNORES_CONDITIONS_OF_COMPLETES)) {
      store().completeUploadIfAbsent(key, second.id(), second.parts());
      assertThat(store().getObject(key)).asString().isEqualTo("second");
    } else {
      assertFails(
          Kind.PRECONDITION_FAILED,
          () -> store().completeUploadIfAbsent(key, second.id(), second.parts()));
      assertThat(store().getObject(key)).asString().isEqualTo("first");
      succeedsOr(Kind.NO_SUCH_UPLOAD, () -> store().abortUpload(key, second.id()));
    }
    assertThat(uploadIds(key)).isEmpty();
  }

  /** An operator gives up a commit, or a writer fails, while another process still completes. */
  @Test
  public void theAnswerOfACompleteIsTrueAlsoIfAnAbortArrivesBesideIt() throws Exception {
    Map<String, Optional<Kind>> answers = new LinkedHashMap<>();
    ExecutorService pool = Executors.newFixedThreadPool(2);
    try {
      for (int round = 0; round < 20; round++) {
        String each = prefix + round;
        String uploadId = store().createUpload(each, Map.of());
        UploadedPart part = store().uploadPart(each, uploadId, 1, body(each));
        CyclicBarrier start = new CyclicBarrier(2);
        Future<Optional<Kind>> complete =
            pool.submit(
                () -> {
                  start.await();
                  return failure(() -> store().completeUpload(each, uploadId, List.of(part)));
                });
        start.await();
        succeedsOr(Kind.NO_SUCH_UPLOAD, () -> store().abortUpload(each, uploadId));
        answers.put(each, complete.get());
      }
    } finally {
      pool.shutdownNow();
    }
    for (Map.Entry<String, Optional<Kind>> entry : answers.entrySet()) {
      String key = entry.getKey();
      Optional<Kind> failure = entry.getValue();
      boolean there = store().headObject(key).isPresent();
      if (failure.isEmpty() || (failure.get() == Kind.AMBIGUOUS && there)) {
        assertThat(store().getObject(key)).asString().isEqualTo(key);
      } else {
        // Not always that there is no such upload: versitygw may miss the part, S3Proxy the key.
        assertThat(there).as("%s after %s", key, failure).isFalse();
      }
    }
  }

  private interface Request {
    void send() throws IOException;
  }

  /** How it fails, if it does. */
  private static Optional<Kind> failure(Request request) {
    try {
      request.send();
      return Optional.empty();
    } catch (StoreException e) {
      return Optional.of(e.kind());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void sent(Request request) {
    assertThat(failure(request)).isEmpty();
  }

  @Test
  public void listingShowsSizeEtagAndTimeOfEveryDepthAndOnlyOfItsPrefix() throws IOException {
    String etag = store().putObject(prefix + "dir/a", body("abc"), Map.of());
    store().putObject(prefix + "dir/sub/b", body("b"), Map.of());
    store().putObject(prefix + "dir2/c", body("c"), Map.of());
    List<ObjectSummary> listing = list(prefix + "dir/");
    assertThat(listing)
        .extracting(ObjectSummary::key)
        .containsExactly(prefix + "dir/a", prefix + "dir/sub/b");
    assertThat(listing.get(0).size()).isEqualTo(3);
    assertThat(listing.get(0).etag()).isEqualTo(etag);
    assertThat(listing.get(0).lastModified()).isNotNull();
  }

  @Test
  public void keysAreOrderedByTheirUtf8BytesAndMayHoldAnyCharacter() throws IOException {
    List<String> names = List.of("a b", "a%3Ab", "a+b", "a=1", "é", "\uFF5E", "\uD83D\uDE00");
    for (String name : names) {
      complete(prefix + name, name, Map.of());
    }
    if (differsIn(StoreDifference.ORDERS_KEYS_BY_UTF_16)) {
      assertThatThrownBy(() -> keys(prefix)).hasMessageContaining("ZR-4221");
    } else {
      assertThat(keys(prefix))
          .containsExactlyElementsOf(names.stream().map(prefix::concat).toList());
    }
    for (String name : names) {
      assertThat(store().getObject(prefix + name)).asString(UTF_8).isEqualTo(name);
    }
    assertThat(store().deleteObjects(names.stream().map(prefix::concat).toList())).isEmpty();
    assertKeysAfterDelete();
  }

  @Test
  public void listingAndBulkDeleteGoPastOnePage() throws IOException {
    List<String> names = new ArrayList<>();
    for (int i = 0; i <= ObjectStore.PAGE_SIZE; i++) {
      names.add(String.format("%s%05d", prefix, i));
    }
    names.parallelStream().forEach(key -> sent(() -> store().putObject(key, body("x"), Map.of())));
    assertThat(keys(prefix)).containsExactlyElementsOf(names);
    assertThat(store().deleteObjects(names)).isEmpty();
    assertKeysAfterDelete();
  }

  @Test
  public void bulkDeleteOfAbsentKeysSucceedsAndTouchesNoOther() throws IOException {
    store().putObject(prefix + "keep", body("k"), Map.of());
    store().putObject(prefix + "drop", body("d"), Map.of());
    assertThat(store().deleteObjects(List.of(prefix + "drop", prefix + "absent"))).isEmpty();
    assertKeysAfterDelete(prefix + "keep");
    // What it was chosen by does not hold any more.
    Map<String, Refusal> late = store().deleteObjects(List.of(prefix + "keep"), () -> false);
    assertThat(late).containsOnlyKeys(prefix + "keep");
    assertThat(late.get(prefix + "keep").passing()).isTrue();
    assertKeysAfterDelete(prefix + "keep");
  }

  @Test
  public void directoryMarkersAreObjects() throws IOException {
    String marker = prefix + "dir/";
    if (differsIn(StoreDifference.REFUSES_EMPTY_CONTENT)) {
      assertFails(Kind.REJECTED, () -> store().putObject(marker, body(""), Map.of()));
      return;
    }
    store().putObject(marker, body(""), Map.of());
    assertThat(keys(prefix)).containsExactly(marker);
    assertThat(store().headObject(marker)).isPresent();
    store().deleteObjects(List.of(marker));
    assertKeysAfterDelete();
  }

  /** How a request for an upload that is over fails. */
  private Kind overUpload() {
    return differsIn(StoreDifference.FAILS_AT_UPLOADS_THAT_ARE_OVER)
        ? Kind.AMBIGUOUS
        : Kind.NO_SUCH_UPLOAD;
  }

  private boolean differsIn(StoreDifference difference) {
    return differences().contains(difference);
  }

  private void complete(String key, String content, Map<String, String> metadata)
      throws IOException {
    String uploadId = store().createUpload(key, metadata);
    UploadedPart part = store().uploadPart(key, uploadId, 1, body(content));
    store().completeUpload(key, uploadId, List.of(part));
  }

  /** Of the key, with one part. */
  private PartlyUploaded upload(String content) throws IOException {
    String id = store().createUpload(key, Map.of());
    return new PartlyUploaded(id, List.of(store().uploadPart(key, id, 1, body(content))));
  }

  private record PartlyUploaded(String id, List<UploadedPart> parts) {}

  private List<String> uploadIds(String uploadPrefix) throws IOException {
    return RemoteIterators.toList(store().listUploads(uploadPrefix)).stream()
        .map(PendingUploadSummary::uploadId)
        .toList();
  }

  private List<ObjectSummary> list(String listPrefix) throws IOException {
    return RemoteIterators.toList(store().listObjects(listPrefix));
  }

  private List<String> keys(String listPrefix) throws IOException {
    return list(listPrefix).stream().map(ObjectSummary::key).toList();
  }

  private void assertKeysAfterDelete(String... left) throws IOException {
    List<String> listed = keys(prefix);
    if (differsIn(StoreDifference.LISTS_DELETED_KEYS_ONCE_MORE)) {
      for (int delete = 0; delete < MOST_DELETES && listed.size() > left.length; delete++) {
        for (String key : listed) {
          boolean there = store().headObject(key).isPresent();
          assertThat(there).as(key).isEqualTo(List.of(left).contains(key));
        }
        listed = keys(prefix);
      }
    }
    assertThat(listed).containsExactly(left);
  }

  private void assertHasNoParts(String uploadId) throws IOException {
    if (differsIn(StoreDifference.LISTS_NO_PARTS_OF_NO_UPLOAD)) {
      assertThat(store().listParts(key, uploadId)).isEmpty();
    } else {
      assertFails(Kind.NO_SUCH_UPLOAD, () -> store().listParts(key, uploadId));
    }
  }

  private static void assertFails(Kind kind, ThrowingCallable call) {
    StoreException failure = catchThrowableOfType(StoreException.class, call);
    assertThat(failure).isNotNull();
    assertThat(failure.kind()).as(failure.getMessage()).isEqualTo(kind);
  }

  private static void succeedsOr(Kind kind, Request request) {
    assertThat(failure(request)).isIn(Optional.empty(), Optional.of(kind));
  }

  private static UploadedPart withoutQuotes(UploadedPart part) {
    return new UploadedPart(part.number(), part.etag().replace("\"", ""), part.size());
  }

  private static RepeatableBody body(String content) {
    return RepeatableBody.of(content.getBytes(UTF_8));
  }

  private static byte[] random(int size, long seed) {
    byte[] bytes = new byte[size];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }
}
