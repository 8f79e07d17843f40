package io.zerorename.magic.job;

import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.util.ShutdownHookManager;

/**
 * Tells the aborts by which a job ends from those by which MapReduce's application master means to
 * clear away temporary files. The first are decisions, which no later attempt of the application
 * master can take back; the second come where such an attempt follows, or has just begun.
 */
final class PrematureAbort {
  private PrematureAbort() {}

  /**
   * Why an abort is not the end of the job; empty where it is.
   *
   * @param setUp whether the caller has set the job up
   */
  static Optional<String> reason(Configuration conf, boolean setUp) {
    int master = conf.getInt(MRJobConfig.APPLICATION_ATTEMPT_ID, 0);
    if (master == 0 || conf.get(JobOutput.TEZ_DAG) != null) {
      return Optional.empty();
    }
    // MRAppMaster.cleanUpPreviousJobOutput, before it sets the job up that it could not recover.
    if (!setUp && master > 1) {
      return Optional.of(
          "it begins anew; what earlier attempts of the application master have uploaded is aborted"
              + " at its end");
    }
    // MRAppMasterShutdownHook, on every signal: preemption, a node that is taken out of service.
    if (ShutdownHookManager.get().isShutdownInProgress()
        && master
            < conf.getInt(MRJobConfig.MR_AM_MAX_ATTEMPTS, MRJobConfig.DEFAULT_MR_AM_MAX_ATTEMPTS)) {
      return Optional.of(
          "the application master is shutting down, and another attempt of it may go on with the job");
    }
    return Optional.empty();
  }
}
