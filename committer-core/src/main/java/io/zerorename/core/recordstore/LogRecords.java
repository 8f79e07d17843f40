package io.zerorename.core.recordstore;

import java.io.IOException;
import java.time.Instant;
import java.util.Optional;
import org.apache.hadoop.fs.RemoteIterator;

/** Records among which a commit log can be kept. */
public interface LogRecords extends RecordStore {
  /** The clock of {@link Entry#written}. */
  Instant now() throws IOException;

  /**
   * The same as {@link #putIfAbsent}.
   *
   * @return the ETag of the object, as the store has it; empty where one of that name is there
   */
  Optional<String> write(String name, byte[] document) throws IOException;

  /** The documents whose names begin so, like {@link #list}. */
  RemoteIterator<Entry> beginningWith(String prefix) throws IOException;
}
