package io.zerorename.hive;

import io.zerorename.core.commit.CommitPlan;
import io.zerorename.core.commit.CommitSettings;
import io.zerorename.core.commit.CommittedFiles;
import io.zerorename.core.commit.JobAbort;
import io.zerorename.core.commit.JobDirectory;
import io.zerorename.core.commit.WorkDirectory;
import io.zerorename.core.s3a.S3AObjectStores;
import java.io.IOException;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hive.ql.session.SessionState.LogHelper;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Cleans up after an INSERT, however its query ended: aborts what was not committed, tells a person
 * what state a failed query has left, and removes the manifests. What is true is read from the
 * job's decision and from S3, not from what this process remembers.
 */
final class QueryEnd {
  private static final Logger LOG = LoggerFactory.getLogger(QueryEnd.class);

  private final CommitWork work;
  private final Configuration conf;
  private final LogHelper console;

  QueryEnd(CommitWork work, Configuration conf, LogHelper console) {
    this.work = work;
    this.conf = conf;
    this.console = console;
  }

  /** After a query that succeeded, its commit included. */
  void succeeded() {
    removeStaging();
    purge();
  }

  /** After a query that failed, was cancelled, or never came to its commit. */
  void failed() {
    try (S3AObjectStores stores = new S3AObjectStores(conf)) {
      CommitSettings settings = CommitSettings.from(conf);
      JobDirectory job = JobDirectory.of(work.jobDirectory(), conf);
      JobAbort.Result result = new JobAbort(stores, job, settings).run();
      if (result instanceof JobAbort.Result.Committed committed) {
        tellOfCommitted(
            committed.plan(), new CommittedFiles(stores, settings).missing(committed.plan()));
      } else if (result instanceof JobAbort.Result.Aborted aborted) {
        console.printInfo(
            "zero-rename: "
                + work.description()
                + " was not committed; nothing of it is visible, "
                + aborted.uploads()
                + " pending uploads were aborted");
      }
      // Not where the outcome is open: a commit that still runs reads the manifests.
      removeStaging();
    } catch (IOException | RuntimeException e) {
      LOG.warn("Cannot end {}", work.description(), e);
      console.printError(
          "zero-rename: "
              + work.description()
              + " failed, and its state could not be brought to an end: "
              + e.getMessage()
              + " If there is no decision.json in "
              + work.jobDirectory()
              + ", or it says ABORT, nothing is visible, and uploads that its journal lists may go"
              + " on costing storage. If it says COMMIT, do not simply run an INSERT INTO again.");
    }
    purge();
  }

  private void tellOfCommitted(CommitPlan plan, List<Path> missing) {
    String text =
        missing.isEmpty()
            ? "All of its "
                + plan.uploads().size()
                + " files are in place. Do not run an INSERT INTO again: its rows would be there"
                + " twice; an INSERT OVERWRITE may be run again. Otherwise add partitions that the"
                + " metastore does not know yet by MSCK REPAIR TABLE "
                + work.table().getFullyQualifiedName()
                + ", and renew the statistics by ANALYZE TABLE."
            : missing.size()
                + " of its "
                + plan.uploads().size()
                + " files are not in place, the first is "
                + missing.get(0)
                + ". Either the commit was broken off, or Hive has deleted them: it deletes the"
                + " directory of a new partition that it cannot add to the metastore. Their"
                + " uploads are listed in "
                + work.jobDirectory()
                + "/decision.json. Look at the table before you run an INSERT INTO again; an INSERT"
                + " OVERWRITE may be run again.";
    console.printError(
        "zero-rename: " + work.description() + " failed after its data was committed. " + text);
  }

  private void removeStaging() {
    Path root = work.stagingRoot();
    try {
      root.getFileSystem(conf).delete(root, true);
    } catch (IOException | RuntimeException e) {
      LOG.warn("Cannot delete the manifests in {}; the session's end will", root, e);
    }
  }

  /** Removes what jobs of the week before last have left. */
  private void purge() {
    Path root = work.output().workDir().getParent();
    try {
      WorkDirectory.of(root, conf).purge(LocalDate.now(ZoneOffset.UTC));
    } catch (IOException | RuntimeException e) {
      LOG.warn("Cannot remove records of old jobs from {}", root, e);
    }
  }
}
