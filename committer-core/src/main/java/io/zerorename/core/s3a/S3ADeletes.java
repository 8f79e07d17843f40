package io.zerorename.core.s3a;

import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.Refusal;
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
 * Deletes objects by 1,000 a request, or by fewer where the user has set {@code
 * fs.s3a.bulk.delete.page.size}.
 */
final class S3ADeletes {
  /** Errors of single keys, in an answer of status 200, that are about the moment. */
  private static final Set<String> PASSING_CODES =
      Set.of(
          "InternalError", "SlowDown", "ServiceUnavailable", "RequestTimeout", "OperationAborted");

  private final S3Client client;
  private final S3ARequests requests;
  private final S3ACalls calls;
  private final int pageSize;

  S3ADeletes(S3Client client, S3ARequests requests, S3ACalls calls, Configuration configuration) {
    this.client = client;
    this.requests = requests;
    this.calls = calls;
    // S3A's own default of 250 is against many of its processes that delete at once.
    int wanted = configuration.getInt(Constants.BULK_DELETE_PAGE_SIZE, ObjectStore.PAGE_SIZE);
    this.pageSize = Math.max(1, Math.min(wanted, ObjectStore.PAGE_SIZE));
  }

  /** The keys that were refused, each with the store's reason. */
  Map<String, Refusal> delete(Collection<String> keys) throws IOException {
    List<String> all = List.copyOf(keys);
    Map<String, Refusal> refused = new LinkedHashMap<>();
    for (int from = 0; from < all.size(); from += pageSize) {
      delete(all.subList(from, Math.min(all.size(), from + pageSize)), refused);
    }
    return refused;
  }

  private void delete(List<String> keys, Map<String, Refusal> refused) throws IOException {
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
}
