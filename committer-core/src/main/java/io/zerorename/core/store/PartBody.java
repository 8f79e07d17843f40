package io.zerorename.core.store;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;

/** Bytes to upload, which can be read again from the start when a request is retried. */
public interface PartBody {
  /** Length in bytes; every stream that {@link #open} returns has exactly so many. */
  long length();

  /** A new stream from the first byte. The caller closes it. */
  InputStream open() throws IOException;

  /** The whole of an array, which must not change afterwards. */
  static PartBody of(byte[] bytes) {
    return new PartBody() {
      @Override
      public long length() {
        return bytes.length;
      }

      @Override
      public InputStream open() {
        return new ByteArrayInputStream(bytes);
      }
    };
  }
}
