package io.zerorename.core.commit;

import io.zerorename.core.store.ObjectHead;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.upload.OutputFile;
import java.io.IOException;
import java.util.Optional;

/** Finds out which files of a committed job are in place: one request per file. */
final class CommittedFiles {
  private CommittedFiles() {}

  /** Whether a file is there. One request. */
  static boolean isThere(OutputFile file, ObjectStores stores) throws IOException {
    return head(file, stores).filter(file::isIdentityOf).isPresent();
  }

  /** The object where a file is or was to be, which may be another program's. One request. */
  static Optional<ObjectHead> head(OutputFile file, ObjectStores stores) throws IOException {
    return stores.forPath(file.destination()).headObject(file.key());
  }
}
