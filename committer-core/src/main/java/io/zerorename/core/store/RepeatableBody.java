package io.zerorename.core.store;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Objects;

/** The body of a request, which is read again from the start when the request is repeated. */
public interface RepeatableBody {
  /** Length in bytes; every stream that {@link #open} returns has exactly so many. */
  long length();

  /** A new stream from the first byte. The caller closes it. */
  InputStream open() throws IOException;

  /** The whole of an array, which must not change afterwards. */
  static RepeatableBody of(byte[] bytes) {
    return of(bytes, 0, bytes.length);
  }

  /** A piece of an array, which must not change afterwards. */
  static RepeatableBody of(byte[] bytes, int offset, int length) {
    Objects.checkFromIndexSize(offset, length, bytes.length);
    return new RepeatableBody() {
      @Override
      public long length() {
        return length;
      }

      @Override
      public InputStream open() {
        return new ByteArrayInputStream(bytes, offset, length);
      }
    };
  }
}
