package io.zerorename.hive.commit;

import io.zerorename.core.commit.SeenLog;
import io.zerorename.core.config.S3AFileSystems;
import io.zerorename.core.job.CommitLogs;
import io.zerorename.core.job.JobDirectory;
import io.zerorename.core.job.WorkDirectory;
import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.OutputJob;
import io.zerorename.core.log.RunId;
import io.zerorename.core.recovery.Recovery;
import io.zerorename.core.s3a.S3AObjectStores;
import io.zerorename.core.store.ErrorText;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.hive.config.HiveKeys;
import io.zerorename.hive.metastore.InsertTarget;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;

/**
 * An INSERT that Hive has begun to execute, and so has authorized: the analysis comes before that.
 *
 * @param log the directory of the log in which the commit is decided
 * @param run to which it belongs, if its user has named one
 * @param isRepeated whether another job has committed that run before
 * @param seen by an overwrite then
 */
record BegunInsert(
    CommitWork work, Path log, Optional<RunId> run, boolean isRepeated, SeenLog seen) {
  /**
   * Checks the log, and notes on the scratch file system what a later job must know to clean up
   * after this one if this process is killed. Nothing of the committer's was written before.
   *
   * @param statement its text
   * @throws IOException where no log can be kept, or no notes; no task has run then
   */
  static BegunInsert begin(CommitWork work, Configuration conf, String statement)
      throws IOException {
    try (S3AObjectStores stores = new S3AObjectStores(conf)) {
      refuseObject(work, conf);
      WorkDirectory directory = WorkDirectory.of(work.output().workDir().getParent(), conf);
      directory.create();
      Path log = new CommitLogs(stores, conf).check(work.target().path(), Optional.of(directory));
      Optional<RunId> run = work.run(conf, statement);
      List<Path> roots = List.of(work.output().destination());
      OutputJob job = new OutputJob(work.output().jobId(), work.description(), roots);
      CommitLog commitLog = new CommitLog(stores, log);
      boolean isRepeated =
          run.isPresent() && Recovery.findRun(job.ofRun(run.get()), commitLog).isPresent();
      SeenLog seen =
          work.overwrites()
              ? SeenLog.now(commitLog, conf, ObjectKeys.bucketOf(work.output().destination()))
              : SeenLog.ALL;
      JobDirectory.of(work.jobDirectory(), conf).begin(log, roots);
      return new BegunInsert(work, log, run, isRepeated, seen);
    } catch (IOException | RuntimeException e) {
      throw new IOException(
          ("zero-rename: ZR-5130: %s was not run, and no data was changed: the committer cannot"
                  + " begin it. %s Correct that and run the statement again, or set %s=false to let"
                  + " Hive's own rename path write it.")
              .formatted(
                  work.description(),
                  ErrorText.of(e),
                  HiveKeys.ENABLED.nameIn(conf, ObjectKeys.bucketOf(work.target().path()))),
          e);
    }
  }

  /**
   * Hive replaces an object that has the name of the directory. Here it would be no old file, and
   * for readers it would hide the new ones. Where Hive stages below the directory, it has refused
   * the statement before, because S3A makes no directory below an object.
   */
  private static void refuseObject(CommitWork work, Configuration conf) throws IOException {
    Path target = work.target().path();
    Optional<Path> staging = work.unusedStaging();
    if (work.target().kind() != InsertTarget.Kind.DIRECTORY
        || (staging.isPresent() && S3AFileSystems.holds(staging.get(), conf))) {
      return;
    }
    try {
      if (target.getFileSystem(conf).getFileStatus(target).isFile()) {
        throw new IOException(
            ("ZR-5133: %s is an object, which would hide the files of a directory of that name;"
                    + " delete it.")
                .formatted(target));
      }
    } catch (FileNotFoundException | AccessDeniedException e) {
      // The directory is new, or these credentials may not look.
      return;
    }
  }

  CommitLog openLog(ObjectStores stores) {
    return new CommitLog(stores, log);
  }
}
