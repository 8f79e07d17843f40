package io.zerorename.core.upload;

import java.io.IOException;
import java.io.OutputStream;

/**
 * Writes one object as a multipart upload that is never completed here.
 *
 * <p>Parts go up in parallel while the writer goes on. Closing waits for them; only then does
 * {@link #file} have an answer. A small file may send nothing: then its bytes are kept, until the
 * {@link Uploads} that opened it are closed. A stream that is aborted, or whose close fails, leaves
 * no upload behind. Not thread-safe, like every {@link OutputStream}.
 */
public abstract class UploadStream extends OutputStream {

  /** Bytes written so far. */
  public abstract long position();

  /** Sends what is left and waits for all parts; closing again does nothing. */
  @Override
  public abstract void close() throws IOException;

  /** Gives the upload up; after {@link #close} as well. Aborting again does nothing. */
  public abstract void abort() throws IOException;

  /**
   * What job commit needs to make the object visible.
   *
   * @throws IllegalStateException before {@link #close} or after {@link #abort}
   */
  public abstract OutputFile file();

  /** The last bytes of the object, which a reader of a just-closed pending file may ask for. */
  public abstract Tail tail();

  /** Frees the memory of the {@link #tail}, which is empty from then on. */
  public abstract void forgetTail();

  /**
   * The end of an object.
   *
   * @param offset where in the object {@code bytes} begins
   */
  @SuppressWarnings("ArrayRecordComponent")
  public record Tail(long offset, byte[] bytes) {}
}
