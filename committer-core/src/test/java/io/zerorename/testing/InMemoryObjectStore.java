package io.zerorename.testing;

import io.zerorename.core.store.ObjectHead;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.store.ObjectSummary;
import io.zerorename.core.store.Pages;
import io.zerorename.core.store.PendingUploadSummary;
import io.zerorename.core.store.Refusal;
import io.zerorename.core.store.RepeatableBody;
import io.zerorename.core.store.RequestType;
import io.zerorename.core.store.StoreException;
import io.zerorename.core.store.StoreException.Kind;
import io.zerorename.core.store.UploadedPart;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.util.functional.CallableRaisingIOE;

/**
 * A bucket in memory that behaves as S3 documents it, counts requests, and fails where a {@link
 * FaultPlan} says so. It is its own {@link ObjectStores} for paths of its bucket.
 */
public final class InMemoryObjectStore implements ObjectStore, ObjectStores {

  /**
   * Where stores differ; {@link #aws} is what AWS does.
   *
   * @param minPartSize that every part but the last must have
   */
  public record Variant(
      Set<StoreDifference> differences, boolean secondCompleteSucceeds, long minPartSize) {

    public static Variant aws() {
      return new Variant(Set.of(), true, 5L << 20);
    }

    private Variant with(StoreDifference difference) {
      Set<StoreDifference> all = new HashSet<>(differences);
      all.add(difference);
      return new Variant(all, secondCompleteSucceeds, minPartSize);
    }

    public boolean listsUploadsByPrefix() {
      return !has(StoreDifference.LISTS_UPLOADS_BY_EXACT_KEY);
    }

    boolean has(StoreDifference difference) {
      return differences.contains(difference);
    }

    /** Answers a second Complete with {@link Kind#NO_SUCH_UPLOAD}, as MinIO does. */
    public Variant withSecondCompleteRefused() {
      return new Variant(differences, false, minPartSize);
    }

    public Variant withUploadsListedByExactKey() {
      return with(StoreDifference.LISTS_UPLOADS_BY_EXACT_KEY);
    }

    public Variant withPartsAcceptedAfterAbort() {
      return with(StoreDifference.TAKES_PARTS_AFTER_ABORT);
    }

    public Variant withMinPartSize(long bytes) {
      return new Variant(differences, secondCompleteSucceeds, bytes);
    }

    public Variant withConditionsIgnored() {
      return with(StoreDifference.IGNORES_CONDITIONS);
    }
  }

  private final String bucket;
  private final Variant variant;
  private final InMemoryBucket content;
  private final FaultPlan faults = new FaultPlan();
  private final Map<RequestType, Long> counts = new ConcurrentHashMap<>();
  private final AtomicReference<Duration> ahead = new AtomicReference<>(Duration.ZERO);

  public InMemoryObjectStore(String bucket) {
    this(bucket, Variant.aws());
  }

  public InMemoryObjectStore(String bucket, Variant variant) {
    this.bucket = bucket;
    this.variant = variant;
    this.content = new InMemoryBucket(bucket, variant, this::now);
  }

  // What tests look at. None of this is a request.

  public FaultPlan faults() {
    return faults;
  }

  /** Requests since the start or the last {@link #resetCounts}, also those that failed. */
  @Override
  public Map<RequestType, Long> requests() {
    return new TreeMap<>(counts);
  }

  public void resetCounts() {
    counts.clear();
  }

  /** Keys of all objects in the order of a listing. */
  public List<String> keys() {
    return content.keys();
  }

  /** Content of an object, which must exist. */
  public byte[] content(String key) {
    return content.find(key).orElseThrow(() -> new AssertionError("no object " + key)).bytes();
  }

  /** Keys of pending uploads; a key appears as often as it has uploads. */
  public List<String> pendingKeys() {
    return content.listUploads("", null, Integer.MAX_VALUE).stream()
        .map(PendingUploadSummary::key)
        .sorted()
        .toList();
  }

  /** Forgets an upload, as a lifecycle rule or somebody else's clean-up does. */
  public void loseUpload(String key, String uploadId) {
    content.lose(key, uploadId);
  }

  /**
   * Is at work on a Complete of a key: its uploads are not found, and no object is there yet. Until
   * {@link #endCompleting}, after which they are pending again.
   */
  public void beginCompleting(String key) {
    content.hide(key);
  }

  public void endCompleting(String key) {
    content.show(key);
  }

  /** Puts an object as somebody else would, without counting or failing. */
  public void plant(String key, byte[] bytes) {
    content.put(key, bytes, Map.of());
  }

  // ObjectStores

  @Override
  public ObjectStore forPath(Path path) throws IOException {
    if (!bucket.equals(path.toUri().getAuthority())) {
      throw new StoreException(
          Kind.NO_SUCH_BUCKET,
          "no bucket for " + path + ": the only one is " + bucket + ". Use its name.");
    }
    return this;
  }

  // ObjectStore

  @Override
  public String bucket() {
    return bucket;
  }

  @Override
  public String createUpload(String key, Map<String, String> metadata) throws IOException {
    return request(RequestType.CREATE_UPLOAD, key, () -> content.createUpload(key, metadata));
  }

  @Override
  public UploadedPart uploadPart(String key, String uploadId, int partNumber, RepeatableBody body)
      throws IOException {
    byte[] bytes = read(body);
    return request(
        RequestType.UPLOAD_PART, key, () -> content.uploadPart(key, uploadId, partNumber, bytes));
  }

  @Override
  public void completeUpload(String key, String uploadId, List<UploadedPart> parts)
      throws IOException {
    request(RequestType.COMPLETE_UPLOAD, key, () -> content.complete(key, uploadId, parts));
  }

  @Override
  public void completeUploadIfAbsent(String key, String uploadId, List<UploadedPart> parts)
      throws IOException {
    request(
        RequestType.COMPLETE_UPLOAD,
        key,
        () ->
            variant.has(StoreDifference.IGNORES_CONDITIONS)
                ? content.complete(key, uploadId, parts)
                : content.completeIfAbsent(key, uploadId, parts));
  }

  @Override
  public void abortUpload(String key, String uploadId) throws IOException {
    request(
        RequestType.ABORT_UPLOAD,
        key,
        () -> {
          content.abort(key, uploadId);
          return null;
        });
  }

  @Override
  public RemoteIterator<PendingUploadSummary> listUploads(String prefix) {
    return new Pages<>(
        (PendingUploadSummary last) ->
            request(
                RequestType.LIST_UPLOADS,
                prefix,
                () ->
                    page(
                        content.listUploads(prefix, last, PAGE_SIZE + 1).stream()
                            .filter(it -> variant.listsUploadsByPrefix() || it.key().equals(prefix))
                            .toList())));
  }

  @Override
  public List<UploadedPart> listParts(String key, String uploadId) throws IOException {
    List<UploadedPart> parts = new ArrayList<>();
    List<UploadedPart> page;
    do {
      int marker = parts.isEmpty() ? 0 : parts.get(parts.size() - 1).number();
      page =
          request(
              RequestType.LIST_PARTS,
              key,
              () -> content.parts(key, uploadId, marker, PAGE_SIZE + 1));
      parts.addAll(page.subList(0, Math.min(PAGE_SIZE, page.size())));
    } while (page.size() > PAGE_SIZE);
    return parts;
  }

  @Override
  public String putObject(String key, RepeatableBody body, Map<String, String> metadata)
      throws IOException {
    byte[] bytes = read(body);
    return request(RequestType.PUT, key, () -> content.put(key, bytes, metadata));
  }

  @Override
  public String putObjectIfAbsent(String key, RepeatableBody body, Map<String, String> metadata)
      throws IOException {
    byte[] bytes = read(body);
    return request(
        RequestType.PUT,
        key,
        () ->
            variant.has(StoreDifference.IGNORES_CONDITIONS)
                ? content.put(key, bytes, metadata)
                : content.putIfAbsent(key, bytes, metadata));
  }

  @Override
  public Instant now() {
    return Instant.now().plus(ahead.get());
  }

  /** Sets the store's clock forward. */
  public void pass(Duration time) {
    ahead.accumulateAndGet(time, Duration::plus);
  }

  @Override
  public byte[] getObject(String key) throws IOException {
    return request(
        RequestType.GET,
        key,
        () ->
            content
                .find(key)
                .orElseThrow(
                    () -> content.failure(Kind.NOT_FOUND, "GetObject", key, "it is absent"))
                .bytes());
  }

  @Override
  public Optional<ObjectHead> headObject(String key) throws IOException {
    return request(
        RequestType.HEAD,
        key,
        () ->
            content
                .find(key)
                .map(
                    object ->
                        new ObjectHead(object.bytes().length, object.etag(), object.metadata())));
  }

  @Override
  public RemoteIterator<ObjectSummary> listObjects(String prefix) {
    return new Pages<>(
        (ObjectSummary last) ->
            request(
                RequestType.LIST,
                prefix,
                () -> page(content.list(prefix, last == null ? null : last.key(), PAGE_SIZE + 1))));
  }

  @Override
  public Map<String, Refusal> deleteObjects(
      Collection<String> keys, CallableRaisingIOE<Boolean> fresh) throws IOException {
    Map<String, Refusal> refused = new LinkedHashMap<>();
    List<String> all = List.copyOf(keys);
    for (int from = 0; from < all.size(); from += PAGE_SIZE) {
      if (!fresh.apply()) {
        all.subList(from, all.size()).forEach(key -> refused.put(key, Refusal.LATE));
        break;
      }
      List<String> batch = all.subList(from, Math.min(all.size(), from + PAGE_SIZE));
      if (Set.copyOf(batch).size() < batch.size()) {
        throw new IllegalArgumentException("a key is named twice in one bulk delete");
      }
      refused.putAll(
          request(
              RequestType.BULK_DELETE,
              batch.get(0),
              () -> {
                Map<String, Refusal> kept = faults.keep(batch);
                content.delete(batch.stream().filter(key -> !kept.containsKey(key)).toList());
                return kept;
              }));
    }
    return refused;
  }

  private static <T> Pages.Page<T, T> page(List<T> onePlusPage) {
    if (onePlusPage.size() <= PAGE_SIZE) {
      return new Pages.Page<>(onePlusPage, null);
    }
    List<T> entries = onePlusPage.subList(0, PAGE_SIZE);
    return new Pages.Page<>(entries, entries.get(PAGE_SIZE - 1));
  }

  private static byte[] read(RepeatableBody body) throws IOException {
    try (InputStream in = body.open()) {
      byte[] bytes = in.readAllBytes();
      if (bytes.length != body.length()) {
        throw new IllegalArgumentException(
            "body has " + bytes.length + " bytes and promised " + body.length());
      }
      return bytes;
    }
  }

  private interface Effect<T> {
    T take() throws StoreException;
  }

  private <T> T request(RequestType type, String key, Effect<T> effect) throws IOException {
    if (Thread.currentThread().isInterrupted()) {
      throw new InterruptedIOException(
          type + " of s3a://" + bucket + "/" + key + " failed: the thread was interrupted");
    }
    counts.merge(type, 1L, Long::sum);
    FaultPlan.Strike strike = faults.next(type);
    if (strike != null && strike.moment() == FaultPlan.Moment.BEFORE_EFFECT) {
      throw struck(type, key, strike);
    }
    T result = effect.take();
    if (strike != null) {
      throw struck(type, key, strike);
    }
    return result;
  }

  private StoreException struck(RequestType type, String key, FaultPlan.Strike strike) {
    return new StoreException(
        strike.kind(),
        type + " of s3a://" + bucket + "/" + key + " failed: planned fault " + strike.kind());
  }
}
