package io.zerorename.core.upload;

import java.io.IOException;
import org.apache.hadoop.fs.Path;

/**
 * Remembers uploads from before they exist, so that those of a writer that was killed, or that lost
 * to another attempt, can be found and aborted.
 */
public interface IntentJournal {
  /**
   * Makes durable that an upload to {@code destination} is about to be created.
   *
   * @return takes the upload's id
   */
  Entry willCreate(Path destination) throws IOException;

  /**
   * Makes durable that the task attempt inlines a small file: should its manifest be lost, it must
   * not be taken for an attempt that wrote nothing.
   */
  default void willInline(Path destination) throws IOException {}

  /** Keeps nothing, where a record per upload would cost a request. */
  static IntentJournal none() {
    return destination -> uploadId -> {};
  }

  /** One intended upload. */
  interface Entry {
    /** Makes durable which upload it became. */
    void created(String uploadId) throws IOException;
  }
}
