package io.zerorename.core.recordstore;

import java.io.IOException;
import java.time.Instant;
import java.util.Collection;
import java.util.Optional;
import org.apache.hadoop.fs.RemoteIterator;

/**
 * Keeps small documents that are written once: on the cluster file system, or as objects in a
 * bucket. Names are relative, such as {@code attempts/a.json}. A document that is there is complete
 * and never changes.
 */
public interface RecordStore {
  /**
   * A document as a listing shows it.
   *
   * @param name with its directory
   * @param written when, by the store's clock
   * @param etag of its object, as the store has it; empty where it has none
   */
  record Entry(String name, Instant written, String etag) {}

  /**
   * Writes a document unless there is one of that name.
   *
   * @return whether it was written by this call; {@code false} may also mean that it was, and that
   *     the answer to a first try was lost, so a caller that must know reads what is there
   */
  boolean putIfAbsent(String name, byte[] document) throws IOException;

  /** The document, if there is one. */
  Optional<byte[]> get(String name) throws IOException;

  /**
   * The documents in a directory in the order of their names; none if it does not exist. In a
   * bucket one request per 1,000 of them, sent when the first of them is needed.
   */
  RemoteIterator<Entry> list(String directory) throws IOException;

  /** Deletes documents, whether or not they exist; no request where there are none. */
  void delete(Collection<String> names) throws IOException;

  /** Where a person finds the document. */
  String locate(String name);
}
