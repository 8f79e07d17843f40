package io.zerorename.core.commit;

import io.zerorename.core.log.CommitPlan;
import io.zerorename.core.log.DirectorySet;
import io.zerorename.core.upload.PendingUpload;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.util.functional.RemoteIterators;

/**
 * The files of an earlier plan that an overwrite replaces. They are read from the plan each time:
 * there may be millions.
 *
 * @param replaced the directories that the overwrite replaces
 */
record FollowedPlan(CommitPlan plan, DirectorySet replaced) {
  private boolean isReplaced(PendingUpload file) {
    return replaced.contains(file.destination().getParent());
  }

  RemoteIterator<List<PendingUpload>> uploadsByChunk() {
    return RemoteIterators.mappingRemoteIterator(
        plan.uploadsByChunk(), chunk -> chunk.stream().filter(this::isReplaced).toList());
  }

  RemoteIterator<PendingUpload> uploads() throws IOException {
    return RemoteIterators.filteringRemoteIterator(plan.uploads(), this::isReplaced);
  }

  /** Whether another program may have written files of the same names since. */
  boolean plainNames() {
    return plan.job().plainNames();
  }

  void release() {
    plan.release();
  }
}
