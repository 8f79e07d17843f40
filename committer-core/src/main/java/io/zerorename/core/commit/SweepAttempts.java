package io.zerorename.core.commit;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.log.CommittedUploads;
import io.zerorename.core.log.OutputJob;
import io.zerorename.core.parallel.Workers;
import io.zerorename.core.store.ObjectStores;
import java.io.IOException;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Aborts what attempts of a recovered job have left that were not chosen. By the job's records
 * where they can be reached, by a listing where not; a failure is told and goes no further.
 */
final class SweepAttempts {
  private static final Logger LOG = LoggerFactory.getLogger(SweepAttempts.class);

  private final ObjectStores stores;
  private final RecoveryEngine engine;

  SweepAttempts(ObjectStores stores, RecoveryEngine engine) {
    this.stores = requireNonNull(stores, "stores");
    this.engine = requireNonNull(engine, "engine");
  }

  /**
   * Sweeps.
   *
   * @param committed uploads to be left alone
   * @return how many uploads were aborted
   */
  int run(OutputJob job, CommittedUploads committed, Workers workers) {
    try {
      Optional<JobDirectory> records = records(job);
      if (records.isEmpty()) {
        return SweepUploads.ofListing(stores, job, committed).run(workers).aborted();
      }
      SweepUploads.Result result = records.get().sweep(stores, committed).run(workers);
      records.get().finish(result);
      return result.aborted();
    } catch (IOException | RuntimeException e) {
      LOG.warn(
          "Uploads of attempts of {} that were not chosen could not all be aborted; the bucket's"
              + " lifecycle rule for incomplete uploads removes them.",
          job.description(),
          e);
      return 0;
    }
  }

  private Optional<JobDirectory> records(OutputJob job) {
    try {
      return engine.records(job);
    } catch (IOException | RuntimeException e) {
      LOG.warn(
          "The records of {} cannot be reached; its uploads are looked for by a listing",
          job.description(),
          e);
      return Optional.empty();
    }
  }
}
