package io.zerorename.core.recordstore;

import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * Keeps small documents that are written once: on the cluster file system, or as objects in a
 * bucket. Names are relative, such as {@code attempts/a.json}. A document that is there is complete
 * and never changes.
 */
public interface RecordStore {
  /**
   * Writes a document unless there is one of that name.
   *
   * @return whether it was written by this call; {@code false} may also mean that it was, and that
   *     the answer to a first try was lost, so a caller that must know reads what is there
   */
  boolean putIfAbsent(String name, byte[] document) throws IOException;

  Optional<byte[]> get(String name) throws IOException;

  /**
   * The names of the documents in a directory, without its own, in ascending order; none if it does
   * not exist. In a bucket one request per 1,000 of them.
   */
  List<String> namesIn(String directory) throws IOException;

  /** Deletes documents, whether or not they exist; no request where there are none. */
  void delete(Collection<String> names) throws IOException;

  /** Where a person finds the document. */
  String locate(String name);
}
