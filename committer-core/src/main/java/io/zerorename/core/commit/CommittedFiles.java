package io.zerorename.core.commit;

import io.zerorename.core.log.CommitPlan;
import io.zerorename.core.parallel.Workers;
import io.zerorename.core.store.ObjectHead;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.upload.OutputFile;
import java.io.IOException;
import java.util.Optional;

/** Finds out which files of a committed job are in place: one request per file. */
public final class CommittedFiles {
  private CommittedFiles() {}

  /** Whether a file is there. One request. */
  public static boolean isThere(OutputFile file, ObjectStores stores) throws IOException {
    return head(file, stores).filter(file::isIdentityOf).isPresent();
  }

  /** The object where a file is or was to be, which may be another program's. One request. */
  static Optional<ObjectHead> head(OutputFile file, ObjectStores stores) throws IOException {
    return stores.forPath(file.destination()).headObject(file.key());
  }

  /**
   * The destinations of files that are there, for a commit that is resumed and whose names are not
   * unique: meanwhile another program may have put an object there, which would be replaced.
   *
   * @throws IOException where another job's object is there: then none of the files may appear
   */
  static FingerprintSet visible(CommitPlan plan, ObjectStores stores, Workers workers)
      throws IOException {
    FingerprintSet visible = new FingerprintSet();
    workers.forEach(
        plan.uploads(),
        file -> {
          Optional<ObjectHead> there = head(file, stores);
          if (there.isPresent() && !file.isIdentityOf(there.get())) {
            throw new IOException(
                ("ZR-1103: since this job began, another job has written %s, and that object was"
                        + " not changed. If it is not wanted, delete it; then complete this commit"
                        + " by zerorename recover.")
                    .formatted(file.destination()));
          }
          if (there.isPresent()) {
            visible.add(file.destination().toString());
          }
        });
    return visible;
  }
}
