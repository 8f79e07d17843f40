package io.zerorename.core.commit;

import io.zerorename.core.job.CommitSettings;
import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.CommitPlan;
import io.zerorename.core.log.LogEntry;
import io.zerorename.core.parallel.Workers;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.upload.PendingUpload;
import java.io.IOException;
import java.util.Collection;
import org.apache.hadoop.util.functional.CallableRaisingIOE;

/**
 * What the stages of an execution are given. {@link ExecuteEntry} explains it.
 *
 * @param fresh whether what is there is surely what was planned with
 */
record Execution(
    ObjectStores stores,
    CommitLog log,
    CommitSettings settings,
    LogEntry entry,
    CommitPlan plan,
    CallableRaisingIOE<Boolean> fresh,
    UploadCompletion completion,
    Workers workers) {
  /**
   * Waits for absent files as long as a Complete may take, and returns those that are gone.
   *
   * @param needed those that still have to be waited for; asked after each pause
   */
  Collection<PendingUpload> await(Collection<PendingUpload> absent, CompletionWait.Needed needed)
      throws IOException {
    return new CompletionWait(settings.settling(), settings.sleep())
        .await(absent, completion, needed, workers);
  }
}
