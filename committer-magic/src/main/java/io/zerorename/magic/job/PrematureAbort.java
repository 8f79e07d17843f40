package io.zerorename.magic.job;

import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.util.ShutdownHookManager;

/**
 * Distinguishes aborts that end a job, which are decisions, from those by which MapReduce's
 * application master removes temporary files although another attempt of it follows or has just
 * begun.
 */
final class PrematureAbort {
  private PrematureAbort() {}

  /**
   * Why an abort does not end the job; empty if it does.
   *
   * @param setUp whether the caller has set the job up
   */
  static Optional<String> reason(Configuration conf, boolean setUp) {
    int master = conf.getInt(MRJobConfig.APPLICATION_ATTEMPT_ID, 0);
    if (master == 0 || conf.get(JobOutput.TEZ_DAG) != null) {
      return Optional.empty();
    }
    // MRAppMaster.cleanUpPreviousJobOutput, before it sets up a job that it could not recover.
    if (!setUp && master > 1) {
      return Optional.of(
          "it restarts; uploads of earlier attempts of the application master are aborted at its"
              + " end");
    }
    // MRAppMasterShutdownHook, on every signal: preemption, a node that is taken out of service.
    if (ShutdownHookManager.get().isShutdownInProgress()
        && master
            < conf.getInt(MRJobConfig.MR_AM_MAX_ATTEMPTS, MRJobConfig.DEFAULT_MR_AM_MAX_ATTEMPTS)) {
      return Optional.of(
          "the application master is shutting down, and another attempt of it may continue the"
              + " job");
    }
    return Optional.empty();
  }
}
