package io.zerorename.core.s3a;

import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.Refusal;
import io.zerorename.core.store.StoreException;
import java.io.IOException;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.s3a.Constants;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.S3Error;

/**
 * Deletes objects by 1,000 a request, by fewer where the user has set {@code
 * fs.s3a.bulk.delete.page.size}, or one by one where the user says that the store has no bulk
 * delete ({@code fs.s3a.multiobjectdelete.enable=false}, as for Google's).
 */
final class S3ADeletes {
  /** Errors of single keys, in an answer of status 200, that are about the moment. */
  private static final Set<String> PASSING_CODES =
      Set.of(
          "InternalError", "SlowDown", "ServiceUnavailable", "RequestTimeout", "OperationAborted");

  private final S3Client client;
  private final S3ARequests requests;
  private final S3ACalls calls;
  private final boolean inBulk;
  private final int pageSize;

  S3ADeletes(S3Client client, S3ARequests requests, S3ACalls calls, Configuration configuration) {
    this.client = client;
    this.requests = requests;
    this.calls = calls;
    // S3A's own default of 250 is against many of its processes that delete at once.
    int wanted = configuration.getInt(Constants.BULK_DELETE_PAGE_SIZE, ObjectStore.PAGE_SIZE);
    this.pageSize = Math.max(1, Math.min(wanted, ObjectStore.PAGE_SIZE));
    this.inBulk = configuration.getBoolean(Constants.ENABLE_MULTI_DELETE, true);
  }

  /** The keys that were refused, each with the store's reason. */
  Map<String, Refusal> delete(Collection<String> keys) throws IOException {
    List<String> all = List.copyOf(keys);
    Map<String, Refusal> refused = new LinkedHashMap<>();
    if (inBulk) {
      for (int from = 0; from < all.size(); from += pageSize) {
        int to = Math.min(all.size(), from + pageSize);
        deleteInBulk(all.subList(from, to), refused);
      }
    } else {
      for (String key : all) {
        deleteOne(key, refused);
      }
    }
    return refused;
  }

  private void deleteInBulk(List<String> keys, Map<String, Refusal> refused) throws IOException {
    String request = "DeleteObjects (" + keys.size() + " keys, the first named)";
    List<S3Error> errors =
        calls.send(
            request, keys.get(0), () -> client.deleteObjects(requests.delete(keys)).errors());
    for (S3Error error : errors) {
      if (!"NoSuchKey".equals(error.code())) {
        refused.put(
            error.key(),
            new Refusal(
                error.code() + ": " + error.message(), PASSING_CODES.contains(error.code())));
      }
    }
  }

  private void deleteOne(String key, Map<String, Refusal> refused) throws IOException {
    try {
      calls.send("DeleteObject", key, () -> client.deleteObject(requests.delete(key)));
    } catch (StoreException e) {
      switch (e.kind()) {
        case NOT_FOUND -> {
          // Some stores answer so where S3 answers with success: the object is gone either way.
        }
        case ACCESS_DENIED, REJECTED -> refused.put(key, new Refusal(e.getMessage(), false));
        default -> throw e;
      }
    }
  }
}
