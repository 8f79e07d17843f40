package io.zerorename.hive.commit;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.job.CommitLogs;
import io.zerorename.core.job.DailyMaintenance;
import io.zerorename.core.job.JobDirectory;
import io.zerorename.core.job.WorkDirectory;
import io.zerorename.core.log.CommitLog;
import io.zerorename.core.s3a.S3AObjectStores;
import io.zerorename.core.store.ErrorText;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.hive.config.HiveKeys;
import java.io.IOException;
import java.time.LocalDate;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;

/**
 * An INSERT that Hive has begun to execute, and so has authorized: the analysis comes before that.
 *
 * @param log the directory of the log in which the commit is decided
 * @param due what is to be done at the commit directory once the query has ended
 */
record BegunInsert(CommitWork work, Path log, Optional<DailyMaintenance> due) {
  BegunInsert {
    requireNonNull(work, "work");
    requireNonNull(log, "log");
    requireNonNull(due, "due");
  }

  /**
   * Chooses the log, and notes on the scratch file system what a later job must know to clean up
   * after this one if this process is killed. Nothing of the committer's was written before.
   *
   * @throws IOException where no log can be kept, or no notes; no task has run then
   */
  static BegunInsert begin(CommitWork work, Configuration conf) throws IOException {
    try (S3AObjectStores stores = new S3AObjectStores(conf)) {
      Path day = work.output().workDir();
      WorkDirectory directory = WorkDirectory.of(day.getParent(), conf);
      directory.open(LocalDate.parse(day.getName()));
      CommitLogs logs = new CommitLogs(stores, conf, Optional.of(directory));
      Path log = logs.choose(work.target().path());
      JobDirectory.of(work.jobDirectory(), conf).begin(log);
      return new BegunInsert(work, log, logs.due());
    } catch (IOException | RuntimeException e) {
      throw new IOException(
          ("zero-rename: ZR-5130: %s was not run, and no data was changed: the committer cannot"
                  + " keep its records. %s Correct that and run the statement again, or set %s=false to let"
                  + " Hive's own rename path write it.")
              .formatted(
                  work.description(),
                  ErrorText.of(e),
                  HiveKeys.ENABLED.nameIn(conf, ObjectKeys.bucketOf(work.target().path()))),
          e);
    }
  }

  CommitLog openLog(ObjectStores stores, Configuration conf) throws IOException {
    return new CommitLogs(stores, conf, Optional.empty()).at(log);
  }
}
