package io.zerorename.core.recordstore;

import java.io.IOException;
import java.time.Instant;
import java.util.Collection;
import java.util.Optional;
import org.apache.hadoop.fs.RemoteIterator;

/**
 * Keeps small documents that are written once, of a job or of a commit log: on the cluster file
 * system, or as objects in a bucket. Names are relative, such as {@code attempts/a.json}. A
 * document that is there is complete and never changes.
 */
public interface RecordStore {
  /**
   * A document as a listing shows it.
   *
   * @param name with its directory
   * @param written when, by the store's clock
   */
  record Entry(String name, Instant written) {}

  /**
   * Writes a document unless there is one of that name.
   *
   * @return whether it was written by this call; {@code false} may also mean that it was, and that
   *     the answer to a first try was lost, so a caller that must know reads what is there
   */
  boolean putIfAbsent(String name, byte[] document) throws IOException;

  /**
   * The same, for a writer that may sleep before its request is sent. It is not written where that
   * is sent more than a quarter of an hour after a time; nor, on a file system, once {@link
   * #deleteDrafts} was called for a time that is later.
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

  /** The document, if there is one. */
  Optional<byte[]> get(String name) throws IOException;

  /**
   * The documents in a directory in the order of their names; none if it does not exist. In a
   * bucket one request per 1,000 of them, sent when the first of them is needed.
   *
   * @param directory empty for all directories at every depth, which only a bucket can list
   */
  RemoteIterator<Entry> list(String directory) throws IOException;

  /** Deletes documents, whether or not they exist; no request where there are none. */
  void delete(Collection<String> names) throws IOException;

  /**
   * Deletes files that were written before a time and that their writers have not moved into place:
   * they were interrupted, or sleep. There are none in a bucket.
   */
  void deleteDrafts(Instant before) throws IOException;

  /** The clock of {@link Entry#written}. */
  Instant now() throws IOException;

  /** Where a person finds the document. */
  String locate(String name);
}
