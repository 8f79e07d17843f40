package io.zerorename.core.s3a;

import io.zerorename.core.metrics.CommitterMetrics;
import io.zerorename.core.metrics.Metric;
import io.zerorename.core.store.RequestType;
import io.zerorename.core.store.StoreException;
import io.zerorename.core.store.StoreException.Kind;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.util.Map;
import org.apache.hadoop.fs.s3a.S3AFileSystem;
import org.apache.hadoop.fs.store.audit.AuditSpan;
import org.apache.hadoop.util.functional.CallableRaisingIOE;
import software.amazon.awssdk.core.exception.SdkException;

/**
 * Sends each request within an audit span of S3A, on whatever thread it is called, and turns its
 * failures into {@link StoreException}.
 *
 * <p>S3A attributes requests to the span that is active on the sending thread, and with {@code
 * fs.s3a.audit.reject.out.of.span.operations} refuses those without one. The span names the
 * operation and the path in the store's access log, and with {@link AuditLabels} the query or job.
 *
 * @param labels what the access log says of each request besides
 * @param counts gets each request
 */
record S3ACalls(S3AFileSystem fileSystem, AuditLabels labels, Map<RequestType, Long> counts) {
  /** An auditor of the user's own may have no valid spans at all. */
  private static final int SPANS = 5;

  /**
   * @param request name of the request as a message shall show it; begins with S3's own
   * @param key key or prefix that the request is about
   */
  <T> T send(String request, String key, CallableRaisingIOE<T> call) throws IOException {
    // The first word: access logs group by it.
    String operation = request.split(" ", 2)[0];
    counts.merge(RequestType.of(operation), 1L, Long::sum);
    CommitterMetrics.add(Metric.REQUESTS, 1);
    String path = pathOf(key);
    AuditSpan callers = fileSystem.getActiveAuditSpan();
    try (AuditSpan own = newSpan("zerorename." + operation, path)) {
      return call.apply();
    } catch (SdkException | UncheckedIOException e) {
      throw new S3AFailures(fileSystem.getBucket()).translate(request, path, e);
    } catch (StoreException | InterruptedIOException e) {
      throw e;
    } catch (IOException e) {
      throw new StoreException(
          Kind.REJECTED,
          ("ZR-4102: %s of %s was not sent: S3A refuses it: %s. Check"
                  + " fs.s3a.multipart.uploads.enabled and the other fs.s3a settings")
              .formatted(request, path, e.getMessage()),
          e);
    } catch (IllegalStateException e) {
      throw StoreException.lasting(
          ("ZR-4103: %s of %s failed: its file system is closed or unusable. Other code in this"
                  + " process may have closed it, as FileSystem.closeAll does; check the object"
                  + " before repeating with a new one. S3A says: %s")
              .formatted(request, path, e.getMessage()),
          e);
    } finally {
      callers.activate();
    }
  }

  /**
   * A new span, active on this thread. While S3A makes one, it holds it by a weak reference only:
   * if garbage is collected at that moment, it returns its span of all that is outside of spans.
   */
  private AuditSpan newSpan(String operation, String path) throws IOException {
    AuditSpan span = fileSystem.createSpan(operation, path, null);
    for (int made = 1; made < SPANS && !span.isValidSpan(); made++) {
      span = fileSystem.createSpan(operation, path, null);
    }
    labels.entries().forEach(span::set);
    return span;
  }

  /**
   * What an answer must hold.
   *
   * @param value null where the answer lacks it, so that it is not the answer to this request
   */
  <T> T required(String request, String key, String name, T value) throws StoreException {
    if (value == null || value.equals("")) {
      throw new StoreException(
          Kind.AMBIGUOUS,
          ("ZR-4104: %s of %s failed: the store's answer says success and holds no %s, so it may be"
                  + " the answer to another request, or come from something else than a store. Look"
                  + " at the object before repeating, and at fs.s3a.endpoint and fs.s3a.proxy.host")
              .formatted(request, pathOf(key), name));
    }
    return value;
  }

  /** How messages name an object or a prefix. */
  String pathOf(String key) {
    URI root = fileSystem.getUri();
    return root.getScheme() + "://" + root.getAuthority() + "/" + key;
  }
}
