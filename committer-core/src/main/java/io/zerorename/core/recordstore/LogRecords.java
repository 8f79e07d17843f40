package io.zerorename.core.recordstore;

import java.io.IOException;
import java.time.Instant;

/** Records among which a commit log can be kept. */
public interface LogRecords extends RecordStore {
  /** The clock of {@link Entry#written}. */
  Instant now() throws IOException;
}
