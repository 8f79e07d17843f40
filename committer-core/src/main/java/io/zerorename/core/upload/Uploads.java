package io.zerorename.core.upload;

import java.io.Closeable;
import java.io.IOException;
import org.apache.hadoop.fs.Path;

/** Opens the upload streams of one task attempt. */
public interface Uploads extends Closeable {
  /**
   * Opens a stream to an object. Nothing is sent before the file has outgrown {@link
   * UploadSettings#createEarlyAfter}, or there are bytes for a part, or the stream is finished.
   *
   * @param destination fully qualified path of the object
   */
  UploadStream open(Path destination) throws IOException;
}
