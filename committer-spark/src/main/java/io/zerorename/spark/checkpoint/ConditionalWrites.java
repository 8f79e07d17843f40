package io.zerorename.spark.checkpoint;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.config.S3AFileSystems;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.Refusal;
import io.zerorename.core.store.RepeatableBody;
import io.zerorename.core.store.StoreException;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.util.functional.ConsumerRaisingIOE;
import org.apache.hadoop.util.functional.InvocationRaisingIOE;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks that a store refuses a conditional write where there is an object: without that two
 * queries could write the same batch. Each check is made once in a process for a bucket.
 */
final class ConditionalWrites {
  private static final Logger LOG = LoggerFactory.getLogger(ConditionalWrites.class);

  private static final Set<String> CHECKED = ConcurrentHashMap.newKeySet();

  private final ObjectStore store;
  private final String bucket;

  /**
   * @param conf distinguishes buckets of one name at different endpoints
   */
  ConditionalWrites(ObjectStore store, Configuration conf) {
    this.store = requireNonNull(store, "store");
    this.bucket = store.bucket() + " at " + S3AFileSystems.endpointOf(store.bucket(), conf);
  }

  /**
   * Fails where a conditional PUT overwrites an object. Three requests.
   *
   * @param directory for the object that is written twice, and then deleted
   */
  void requireOfPuts(Path directory) throws IOException {
    require("PUT", directory, key -> store.putObjectIfAbsent(key, content(), Map.of()));
  }

  /** Fails where a conditional CompleteMultipartUpload overwrites an object. Six requests. */
  void requireOfCompletes(Path directory) throws IOException {
    require("Complete", directory, this::complete);
  }

  /**
   * @param second writes the object that is there already
   */
  private void require(String kind, Path directory, ConsumerRaisingIOE<String> second)
      throws IOException {
    String check = kind + " " + bucket;
    if (CHECKED.contains(check)) {
      return;
    }
    // No part of a name that Spark understands, in case that it stays.
    String key = ObjectKeys.prefixOf(directory) + "_zerorename-check-" + UUID.randomUUID();
    try {
      // Where it was repeated, the second copy may be refused; then the first has written it.
      isRefused(() -> store.putObjectIfAbsent(key, content(), Map.of()));
      if (!isRefused(() -> second.accept(key))) {
        throw new IOException(
            ("ZR-7117: Cannot keep a checkpoint in %s: its store overwrites objects in spite of"
                    + " If-None-Match (%s), so that two queries could write the same batch. Use a"
                    + " store with conditional writes, or Spark's own manager of checkpoints and"
                    + " s3a:// for those of RDDs.")
                .formatted(directory, kind));
      }
    } finally {
      Map<String, Refusal> left = store.deleteObjects(List.of(key));
      if (!left.isEmpty()) {
        LOG.warn("ZR-7122: The object of a check could not be deleted: {}. It does no harm", left);
      }
    }
    CHECKED.add(check);
  }

  private static boolean isRefused(InvocationRaisingIOE write) throws IOException {
    try {
      write.apply();
      return false;
    } catch (StoreException e) {
      if (e.lastAnswer() == StoreException.Kind.PRECONDITION_FAILED) {
        return true;
      }
      throw e;
    }
  }

  private void complete(String key) throws IOException {
    // One whose id is lost has no part, and takes no room.
    String upload = store.createUpload(key, Map.of(), () -> {});
    boolean completed = false;
    try {
      store.completeUploadIfAbsent(
          key, upload, List.of(store.uploadPart(key, upload, 1, content())));
      completed = true;
    } finally {
      if (!completed) {
        abort(key, upload);
      }
    }
  }

  /** A refused Complete may have used up the upload. */
  private void abort(String key, String upload) throws IOException {
    try {
      store.abortUpload(key, upload);
    } catch (StoreException e) {
      if (e.kind() != StoreException.Kind.NO_SUCH_UPLOAD) {
        throw e;
      }
    }
  }

  /** Not empty: over HTTP, Ceph refuses what has no content. */
  private static RepeatableBody content() {
    return RepeatableBody.of(new byte[1]);
  }
}
