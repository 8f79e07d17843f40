package io.zerorename.core.store;

import java.io.IOException;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.util.functional.CallableRaisingIOE;
import org.apache.hadoop.util.functional.InvocationRaisingIOE;

/**
 * One bucket of an S3-like store.
 *
 * <p>Every method that throws is one request to the store, save the two iterators, which send one
 * request per page of up to 1,000 entries when the page is first needed, {@link #listParts}, which
 * sends one per 1,000 parts, and {@link #deleteObjects}, which sends one per 1,000 keys, or per
 * fewer where the user has set so. All methods may be called from any thread. Keys never begin with
 * a slash.
 *
 * <p>Every failure is a {@link StoreException}, whose {@link StoreException#kind() kind} says what
 * the store's answer proves. A request whose answer was lost has the kind {@link
 * StoreException.Kind#AMBIGUOUS}: it may have taken effect.
 */
public interface ObjectStore {

  /** The largest number of keys in one bulk delete, and of entries in one page of a listing. */
  int PAGE_SIZE = 1000;

  String bucket();

  /**
   * Begins a multipart upload. Nothing is visible under the key until it is completed. A store that
   * repeats requests does not repeat this one: if its answer is lost, nobody has the upload's id.
   *
   * @param metadata user metadata that the completed object will carry, names in lower case and
   *     without the {@code x-amz-meta-} prefix
   * @return the upload id
   */
  String createUpload(String key, Map<String, String> metadata) throws IOException;

  /**
   * Begins a multipart upload for a caller who can find those whose ids it does not know, so that a
   * store may repeat it.
   *
   * @param lost called for each answer that was lost, before the request is sent again
   */
  default String createUpload(String key, Map<String, String> metadata, InvocationRaisingIOE lost)
      throws IOException {
    return createUpload(key, metadata);
  }

  /**
   * Uploads one part, replacing an earlier part of that number.
   *
   * @param partNumber from 1 to 10,000
   * @return the part as it must be named in {@link #completeUpload}
   */
  UploadedPart uploadPart(String key, String uploadId, int partNumber, RepeatableBody body)
      throws IOException;

  /**
   * Makes the object of an upload visible, replacing an object of that key. A second call for an
   * upload that is already complete is answered with success by some stores (AWS) and with {@link
   * StoreException.Kind#NO_SUCH_UPLOAD} by others (MinIO).
   *
   * @param parts in ascending order of part number
   */
  void completeUpload(String key, String uploadId, List<UploadedPart> parts) throws IOException;

  /**
   * Like {@link #completeUpload}, unless an object of that key exists: then it fails with {@link
   * StoreException.Kind#PRECONDITION_FAILED}. Of several such calls and of conditional PUTs at most
   * one succeeds. One that fails may have used up the upload.
   */
  void completeUploadIfAbsent(String key, String uploadId, List<UploadedPart> parts)
      throws IOException;

  /**
   * Aborts an upload and frees its parts. An upload that does not exist any more is {@link
   * StoreException.Kind#NO_SUCH_UPLOAD}.
   */
  void abortUpload(String key, String uploadId) throws IOException;

  /**
   * Uploads that were begun and neither completed nor aborted, with keys that start with {@code
   * prefix}. MinIO lists only those whose key equals the prefix.
   */
  RemoteIterator<PendingUploadSummary> listUploads(String prefix) throws IOException;

  /**
   * Whether {@link #listUploads} finds what is below a directory, as far as its answers have shown.
   * Sends nothing.
   */
  default boolean listsUploadsByPrefix() {
    return true;
  }

  /**
   * The parts that an upload holds, as they must be named in {@link #completeUpload}, in ascending
   * order of part number. An upload that was completed, aborted or never begun is {@link
   * StoreException.Kind#NO_SUCH_UPLOAD}; S3Proxy on a file system answers as if it had no parts.
   */
  List<UploadedPart> listParts(String key, String uploadId) throws IOException;

  /**
   * Writes an object in one request.
   *
   * @return the new object's ETag
   */
  String putObject(String key, RepeatableBody body, Map<String, String> metadata)
      throws IOException;

  /**
   * Writes an object in one request, unless one of that key exists: then it fails with {@link
   * StoreException.Kind#PRECONDITION_FAILED}. Of several such calls at most one succeeds. It can be
   * read at once, whatever storage class the user has set for new objects.
   *
   * @return the new object's ETag
   */
  String putObjectIfAbsent(String key, RepeatableBody body, Map<String, String> metadata)
      throws IOException;

  /** The store's clock, by its latest answer; before the first answer this machine's. */
  Instant now();

  /**
   * Reads a whole object, which must fit in memory. Absent: {@link StoreException.Kind#NOT_FOUND}.
   */
  byte[] getObject(String key) throws IOException;

  /** The object's size, ETag and metadata, or empty where the store says that there is none. */
  Optional<ObjectHead> headObject(String key) throws IOException;

  /**
   * Objects whose keys start with {@code prefix}, at every depth, in ascending order of the keys'
   * UTF-8 bytes.
   */
  RemoteIterator<ObjectSummary> listObjects(String prefix) throws IOException;

  /**
   * Deletes objects, whether or not they exist.
   *
   * @return those that the store refused to delete; empty where all are gone
   */
  default Map<String, Refusal> deleteObjects(Collection<String> keys) throws IOException {
    return deleteObjects(keys, () -> true);
  }

  /**
   * Deletes objects that were compared with what they should be.
   *
   * @param fresh whether the comparison holds; asked before each request
   * @return those that were not deleted: the refused ones, and the others, as passing, when the
   *     comparison does not hold any more
   */
  Map<String, Refusal> deleteObjects(Collection<String> keys, CallableRaisingIOE<Boolean> fresh)
      throws IOException;
}
