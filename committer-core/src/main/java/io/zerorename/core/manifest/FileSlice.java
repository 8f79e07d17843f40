package io.zerorename.core.manifest;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.store.RepeatableBody;
import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/** The bytes of a small file within another one, read into memory each time it is opened. */
record FileSlice(FileSystem fileSystem, Path file, long offset, long length)
    implements RepeatableBody {
  FileSlice {
    requireNonNull(fileSystem, "fileSystem");
    requireNonNull(file, "file");
    if (offset < 0 || length < 0) {
      throw new IllegalArgumentException(length + " bytes at " + offset + " of " + file);
    }
  }

  @Override
  public InputStream open() throws IOException {
    byte[] bytes = new byte[Math.toIntExact(length)];
    try (FSDataInputStream in = fileSystem.open(file)) {
      in.seek(offset);
      int missing = bytes.length - in.readNBytes(bytes, 0, bytes.length);
      if (missing > 0) {
        throw new EOFException(
            "ZR-1401: %s was truncated after its task had written it: it lacks %s bytes"
                .formatted(file, missing));
      }
    }
    return new ByteArrayInputStream(bytes);
  }
}
