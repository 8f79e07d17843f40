package io.zerorename.core.job;

import io.zerorename.core.log.OpenEntry;
import io.zerorename.core.parallel.Workers;
import io.zerorename.core.store.ObjectStores;
import java.io.IOException;
import java.util.Optional;

/** What writers and the commit of a job need of its records. */
@FunctionalInterface
public interface JobRecords {
  /**
   * Makes durable, where that costs no request, that a writer is about to upload or inline its
   * first file.
   *
   * @param writer a task attempt, or a commit that has lost sight of a small file's upload
   */
  default void noteWriter(String writer) throws IOException {}

  /**
   * Aborts the uploads of a job that was decided, and forgets what only a running job needs.
   *
   * @param entry of the job, of which no file is aborted; empty where none commits it
   * @return how many it has aborted
   */
  int cleanUp(ObjectStores stores, Optional<OpenEntry> entry, Workers workers) throws IOException;
}
