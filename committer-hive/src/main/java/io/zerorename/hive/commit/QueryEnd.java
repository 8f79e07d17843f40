package io.zerorename.hive.commit;

import io.zerorename.core.commit.CommitReport;
import io.zerorename.core.commit.JobAbort;
import io.zerorename.core.config.CoreKeys;
import io.zerorename.core.config.S3AFileSystems;
import io.zerorename.core.document.MalformedDocumentException;
import io.zerorename.core.document.TaskManifest;
import io.zerorename.core.job.JobDirectory;
import io.zerorename.core.job.ManifestSource;
import io.zerorename.core.job.WorkDirectory;
import io.zerorename.core.log.CommitLog;
import io.zerorename.core.recovery.Recovered;
import io.zerorename.core.s3a.S3AObjectStores;
import io.zerorename.core.store.ErrorText;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.Refusal;
import io.zerorename.hive.metastore.InsertTarget;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hive.conf.HiveConf;
import org.apache.hadoop.hive.ql.Context;
import org.apache.hadoop.hive.ql.metadata.Hive;
import org.apache.hadoop.hive.ql.metadata.HiveException;
import org.apache.hadoop.hive.ql.session.SessionState.LogHelper;
import org.apache.hadoop.util.StringUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Cleans up after an INSERT, however its query ended: aborts what was not committed, reports the
 * state that a failed query has left, and removes the manifests. It reads that state from the job's
 * decision and from S3, and not from this process's memory.
 */
record QueryEnd(BegunInsert insert, HiveConf conf, LogHelper console) {
  private static final Logger LOG = LoggerFactory.getLogger(QueryEnd.class);

  private CommitWork work() {
    return insert.work();
  }

  /** After a commit whose metastore work is done. */
  void finish(CommitReport report) {
    try {
      if (report.open().isPresent()) {
        report.open().get().end();
      }
    } catch (IOException | RuntimeException e) {
      LOG.warn(
          "ZR-5217: {} is complete, but its marker could not be written to {}; a later INSERT does"
              + " it",
          work().description(),
          insert.log(),
          e);
    }
  }

  /**
   * After a query that failed, was cancelled, or never came to its commit.
   *
   * @param executed whether this process has executed its commit
   */
  void failed(boolean executed) {
    try (S3AObjectStores stores = new S3AObjectStores(conf)) {
      CommitLog log = insert.openLog(stores);
      JobDirectory job =
          new JobDirectory(
              work().jobDirectory().getFileSystem(conf), work().jobDirectory(), written());
      OptionalInt aborted =
          new JobAbort(stores, job, log, work().settings(conf), Optional.of(work().begun())).run();
      if (aborted.isEmpty()) {
        reportCommitted(executed);
      } else {
        console.printInfo(
            ("zero-rename: ZR-5218: %s was not committed; nothing of it is visible, %s pending"
                    + " uploads were aborted")
                .formatted(work().description(), aborted.getAsInt()));
      }
      // Not where the outcome is open: a commit that still runs reads the manifests.
      removeStaging();
    } catch (IOException | RuntimeException e) {
      console.printError(
          ("zero-rename: ZR-5225: %s failed, and cleaning up after it did not succeed: %s It may"
                  + " have been committed (see %s). If it was, do not run an INSERT INTO again: the"
                  + " next INSERT into the table completes it, or: zerorename recover %s")
              .formatted(
                  work().description(), ErrorText.of(e), insert.log(), work().target().path()),
          "\n" + StringUtils.stringifyException(e));
    }
  }

  /**
   * The manifests of task attempts that have ended, chosen or not: where a store lists uploads by
   * exact key only, nothing else names what they have uploaded. There are none if the files were to
   * be merged first, which then lie in their place.
   */
  private ManifestSource written() {
    Path root = work().stagingRoot();
    return (workers, action) -> {
      FileSystem scratch = root.getFileSystem(conf);
      if (work().merged().isPresent() || !scratch.exists(root)) {
        return;
      }
      workers.forEach(
          scratch.listFiles(root, true),
          file -> {
            try {
              TaskManifest manifest = TaskManifest.read(scratch, file.getPath());
              // Other targets of the statement have theirs there too.
              if (manifest.jobId().equals(work().output().jobId())) {
                action.accept(manifest);
              }
            } catch (MalformedDocumentException | FileNotFoundException e) {
              // One that a task was writing when it was killed, or has deleted meanwhile; it names
              // nothing that is whole.
              LOG.debug("{} is not read as a manifest", file.getPath(), e);
            }
          });
    };
  }

  private void reportCommitted(boolean executed) {
    String text =
        executed
            ? "All of its files are in place. " + advice()
            : ("Its commit was interrupted, so that files may be missing. The next INSERT into the"
                    + " table completes what can be completed, or: zerorename recover %s. Look at"
                    + " the table before you run an INSERT INTO again; an INSERT OVERWRITE may be"
                    + " run again.")
                .formatted(work().target().path());
    String repeated =
        "Run it again with the same %s: that completes it, and adds no row twice."
            .formatted(CoreKeys.RUN_ID.name());
    console.printError(
        "zero-rename: ZR-5220: %s failed after its data was committed. %s"
            .formatted(work().description(), insert.run().isPresent() ? repeated : text));
  }

  private String advice() {
    return switch (work().target().kind()) {
      case TABLE ->
          "Do not run an INSERT INTO again: its rows would be there twice; an INSERT OVERWRITE may"
              + " be run again. The next INSERT into the table, or MSCK REPAIR TABLE "
              + work().target().name()
              + ", adds partitions that the metastore does not know yet; renew the statistics by"
              + " ANALYZE TABLE.";
      case NEW_TABLE ->
          "If the table was not created, delete them or create it at "
              + work().target().path()
              + "; if it was, MSCK REPAIR TABLE adds its partitions.";
      case DIRECTORY -> "The statement may be run again.";
    };
  }

  /** Removes the manifests. */
  void removeStaging() {
    Path root = work().stagingRoot();
    try {
      root.getFileSystem(conf).delete(root, true);
    } catch (IOException | RuntimeException e) {
      LOG.warn("ZR-5221: Cannot delete manifests in {}; the session's end deletes them", root, e);
    }
  }

  /**
   * Deletes the staging directory that Hive's compiler has made in the table and that no task uses,
   * by one request: it is one empty object. It is left to Hive, which needs several requests, where
   * other files are staged in it ({@link CommitWork#unusedStaging} is empty then), and where the
   * commit has no files: it may be all that keeps the table's directory in existence.
   *
   * @param context of the query, which holds the directories that Hive will remove
   */
  void removeUnusedStaging(CommitReport committed, Context context) {
    if (work().unusedStaging().isPresent() && committed.made().files() > 0) {
      Path unused = work().unusedStaging().get();
      context.getFsScratchDirs().values().removeIf(it -> it.equals(unused) && deleted(it));
    }
  }

  private boolean deleted(Path directory) {
    try (S3AObjectStores stores = new S3AObjectStores(conf)) {
      if (!S3AFileSystems.holds(directory, conf)) {
        return false;
      }
      Map<String, Refusal> refused =
          stores.forPath(directory).deleteObjects(List.of(ObjectKeys.prefixOf(directory)));
      if (refused.isEmpty()) {
        directory.getFileSystem(conf).cancelDeleteOnExit(directory);
        return true;
      }
      LOG.debug("{} is left to Hive: {}", directory, refused);
    } catch (IOException | RuntimeException e) {
      LOG.debug("{} is left to Hive", directory, e);
    }
    return false;
  }

  /**
   * Begins what neither the statement nor its client waits for: resumes interrupted commits, and
   * removes records and entries of earlier jobs.
   *
   * @param report of the commit, if there was one
   */
  void beginBackgroundWork(Optional<CommitReport> report) {
    BegunInsert of = insert;
    if (report.filter(it -> !it.openEntries().isEmpty()).isPresent()) {
      HiveConf own = new HiveConf(conf);
      PrintStream out = LogHelper.getInfoStream();
      BackgroundWork.begin("recovery " + of.log(), () -> recover(of, own, out));
    }
    Configuration copy = new Configuration(conf);
    report
        .filter(CommitReport::isFirstOfDay)
        .ifPresent(it -> BackgroundWork.begin("cut of " + of.log(), () -> cut(it, of, copy)));
    Path root = work().output().workDir().getParent();
    BackgroundWork.begin("housekeeping " + root, () -> WorkDirectory.of(root, copy).deleteOld());
  }

  /**
   * Resumes what other processes have left at the target. With its own client of the metastore,
   * because the session's may be closed at any time.
   */
  private static void recover(BegunInsert insert, HiveConf conf, PrintStream out)
      throws IOException {
    InsertTarget target = insert.work().target();
    try (S3AObjectStores stores = new S3AObjectStores(conf)) {
      new TableRecovery(Hive.get(conf), target, stores, conf)
          .run(
              insert.log(),
              Duration.ofSeconds(
                  CoreKeys.RECOVERY_PATIENCE.from(conf, ObjectKeys.bucketOf(target.path()))),
              it -> !(it instanceof Recovered.UnderWay))
          .forEach(message -> say(message, out));
    } catch (IOException | HiveException | RuntimeException e) {
      LOG.warn("ZR-5202: Cannot resume the interrupted commits in {}", insert.log(), e);
      say(
          "interrupted commits of %s cannot be resumed now: %s"
              .formatted(target.name(), Optional.ofNullable(e.getMessage()).orElseGet(e::toString)),
          out);
    } finally {
      Hive.closeCurrent();
    }
  }

  /** The client may have gone, so that the messages are also logged. */
  private static void say(String message, PrintStream out) {
    LOG.info("zero-rename: {}", message);
    out.println("zero-rename: " + message);
  }

  private static void cut(CommitReport report, BegunInsert insert, Configuration conf)
      throws IOException {
    try (S3AObjectStores stores = new S3AObjectStores(conf)) {
      int days =
          CoreKeys.LOG_DAYS.from(conf, ObjectKeys.bucketOf(insert.work().output().destination()));
      report.cut(insert.openLog(stores), days);
    }
  }
}
