package io.zerorename.core.recordstore;

import java.io.IOException;
import java.time.Instant;

/** Records among which a commit log can be kept. */
public interface LogRecords extends RecordStore {
  /**
   * Like {@link #putIfAbsent(String, byte[])}, for a writer that may sleep before its request is
   * sent. It is not written where that is sent more than a quarter of an hour after a time.
   *
   * @param asOf the time, by the clock of {@link #now}
   * @throws NotWrittenException where it is sure that it was not written
   */
  boolean putIfAbsent(String name, byte[] document, Instant asOf) throws IOException;

  /**
   * Writes a document by one request that is answered, so that after its deletion no copy of the
   * request can bring it back.
   *
   * @return false where it was written, and a copy of the request may be under way
   * @throws IOException where it is not known whether it was written
   */
  boolean putOnce(String name, byte[] document) throws IOException;

  /** The clock of {@link Entry#written}. */
  Instant now() throws IOException;
}
