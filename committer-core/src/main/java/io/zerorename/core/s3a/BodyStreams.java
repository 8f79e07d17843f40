package io.zerorename.core.s3a;

import io.zerorename.core.store.RepeatableBody;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.http.ContentStreamProvider;

/**
 * Gives the SDK a body from its start as often as it asks, to sign it and to send it, and has at
 * most one stream of it open.
 */
final class BodyStreams implements ContentStreamProvider, Closeable {
  /** What S3A sends with the objects that it writes. */
  private static final String CONTENT_TYPE = "application/octet-stream";

  private final RepeatableBody body;
  private InputStream current;

  BodyStreams(RepeatableBody body) {
    this.body = body;
  }

  RequestBody requestBody() {
    return RequestBody.fromContentProvider(this, body.length(), CONTENT_TYPE);
  }

  @Override
  public synchronized InputStream newStream() {
    try {
      close();
      current = body.open();
      return current;
    } catch (IOException e) {
      throw new UncheckedIOException(
          "ZR-4101: the bytes to upload cannot be read: " + e.getMessage(), e);
    }
  }

  @Override
  public synchronized void close() throws IOException {
    if (current != null) {
      current.close();
      current = null;
    }
  }
}
