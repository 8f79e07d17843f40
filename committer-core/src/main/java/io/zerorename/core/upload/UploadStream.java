package io.zerorename.core.upload;

import java.io.IOException;
import java.io.OutputStream;

/**
 * Writes one object as a multipart upload that is never completed here.
 *
 * <p>Parts go up in parallel while the writer goes on. Closing waits for them; only then does
 * {@link #file} have an answer. Whoever writes several files {@link #finish finishes} each and
 * closes them later. A small file may send nothing: then its bytes are kept, until the {@link
 * Uploads} that opened it are closed. A stream that is aborted, or whose close fails, leaves no
 * upload behind. Not thread-safe, like every {@link OutputStream}.
 */
public abstract class UploadStream extends OutputStream {

  /** Bytes written so far. */
  public abstract long position();

  /**
   * Hands over what is left and does not wait for it, unless many other files do; again does
   * nothing. No byte can follow. Where the file is uploaded, the journal has the upload's id from
   * now on. What fails later is told by {@link #close}, which must be called all the same.
   */
  public abstract void finish() throws IOException;

  /**
   * {@link #finish Finishes} and waits for all parts; closing again does nothing, nor does it after
   * a failure that this or {@link #finish} has told.
   */
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

  /** Whether {@link #close} would wait, for a part that is under way. */
  public abstract boolean isSending();

  /** Parts that were handed over so far, 0 of a file that is not uploaded. */
  public abstract int parts();

  /**
   * The last bytes of the object, which a reader of a just-closed pending file may ask for.
   *
   * @throws IllegalStateException before {@link #finish} or after {@link #abort}
   */
  public abstract Tail tail() throws IOException;

  /** Bytes of the {@link #tail}, whether or not it is in memory already. */
  public abstract long tailLength();

  /** Frees the memory of the {@link #tail} of a finished file, which is empty from then on. */
  public abstract void forgetTail() throws IOException;

  /**
   * The end of an object.
   *
   * @param offset where in the object {@code bytes} begins
   */
  @SuppressWarnings("ArrayRecordComponent")
  public record Tail(long offset, byte[] bytes) {}
}
