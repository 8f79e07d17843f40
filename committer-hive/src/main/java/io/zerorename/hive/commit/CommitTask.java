package io.zerorename.hive.commit;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.commit.CommitLine;
import io.zerorename.core.commit.CommitProgress;
import io.zerorename.core.commit.CommitReport;
import io.zerorename.core.commit.CommitRequest;
import io.zerorename.core.commit.JobCommit;
import io.zerorename.core.commit.ListingPrefetch;
import io.zerorename.core.commit.OpenCommit;
import io.zerorename.core.commit.Overwrite;
import io.zerorename.core.job.JobDirectory;
import io.zerorename.core.job.ManifestSource;
import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.OutputJob;
import io.zerorename.core.s3a.S3AObjectStores;
import io.zerorename.core.store.CountedStores;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.hive.metastore.CommittedContents;
import io.zerorename.hive.metastore.InsertEvents;
import io.zerorename.hive.metastore.NewPartitions;
import io.zerorename.hive.metastore.StatisticsSnapshot;
import io.zerorename.hive.write.OutputSpec;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hive.conf.HiveConf;
import org.apache.hadoop.hive.conf.HiveConf.ConfVars;
import org.apache.hadoop.hive.ql.exec.MoveTask;
import org.apache.hadoop.hive.ql.exec.Task;
import org.apache.hadoop.hive.ql.metadata.HiveException;
import org.apache.hadoop.hive.ql.metadata.Table;
import org.apache.hadoop.hive.ql.plan.api.StageType;
import org.apache.hadoop.hive.ql.session.SessionState;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the output of one INSERT visible, between the task that wrote it and the MoveTask, which
 * then has nothing to move and tells the metastore.
 */
public final class CommitTask extends Task<CommitWork> {
  private static final long serialVersionUID = 1L;
  private static final Logger COMMIT_LOG = LoggerFactory.getLogger(CommitTask.class);

  private transient volatile CommitReport committed;
  private transient volatile CommittedContents contents;
  private transient volatile StatisticsSnapshot statistics;
  private transient volatile InsertEvents events;
  private transient volatile S3AObjectStores s3;
  private transient volatile boolean followsOthers;
  private transient volatile boolean superseded;
  private transient volatile boolean cancelled;
  private transient boolean finished;
  private final transient List<CommitTask> earlier = new ArrayList<>();
  private transient volatile Thread executing;
  private transient volatile DueMaintenance due;

  /**
   * @param due what is to be done once the query has ended
   */
  public CommitTask(DueMaintenance due) {
    this.due = requireNonNull(due, "due");
  }

  @Override
  public StageType getType() {
    return StageType.MOVE;
  }

  @Override
  public String getName() {
    return "ZERO-RENAME-COMMIT";
  }

  /** Hive does not wait for parallel tasks when a query is cancelled, but ends it beside them. */
  @Override
  public boolean canExecuteInParallel() {
    return false;
  }

  /**
   * Hive calls this when the query is cancelled, from another thread. Up to its decision the commit
   * gives up at an interrupt; from there on it goes on to its end.
   */
  @Override
  public void shutdown() {
    cancelled = true;
    Thread thread = executing;
    if (thread != null) {
      thread.interrupt();
    }
  }

  @Override
  public int execute() {
    executing = Thread.currentThread();
    try {
      return executeInterruptibly();
    } finally {
      executing = null;
    }
  }

  private int executeInterruptibly() {
    if (context.getExplainAnalyze() != null) {
      // EXPLAIN ANALYZE runs the tasks to count their rows; the end of the query aborts them.
      return 0;
    }
    try {
      refuseIfCancelled();
      earlier.forEach(CommitTask::finish);
      WrittenPartitions partitions = WrittenPartitions.of(work, conf);
      partitions.refuseBeyondLimits(conf);
      // Open until the query ends: the end of the commit is noted by them.
      s3 = new S3AObjectStores(conf);
      CountedStores stores = new CountedStores(s3);
      CommitLog log = work.openLog(stores, conf);
      Optional<Table> table;
      Set<String> created;
      // S3 is asked what will be replaced while the metastore is asked about the table.
      try (ListingPrefetch ahead = listAhead(stores, log, partitions)) {
        table = partitions.table(getHive());
        created = partitions.refuseMoved(getHive(), table);
        statistics = new StatisticsSnapshot(table, partitions.known());
        commit(stores, log, ahead, partitions, table);
      }
      contents =
          CommittedContents.of(
              work.output().destination(),
              work.overwrites(),
              !work.dynamicColumns().isEmpty(),
              committed,
              created);
      boolean allRegistered =
          created.isEmpty() || register(created, partitions, table.orElseThrow());
      // Last: what listeners are told must not keep rows from being seen.
      events = allRegistered ? events(partitions, table).orElse(null) : null;
      return 0;
    } catch (IOException | HiveException | RuntimeException e) {
      COMMIT_LOG.error("Committing the output of {} failed", work.description(), e);
      console.printError("zero-rename: " + e.getMessage());
      setException(e);
      return 1;
    }
  }

  private ListingPrefetch listAhead(
      ObjectStores stores, CommitLog log, WrittenPartitions partitions) {
    return work.overwrites()
        ? ListingPrefetch.begin(
            stores,
            log,
            work.begun(),
            work.settings(conf).threads(),
            partitions.roots(),
            partitions.directories())
        : ListingPrefetch.none();
  }

  /**
   * Registers new partitions in the metastore, but for those that a later commit replaces.
   *
   * @return whether there are none of those
   */
  private boolean register(Set<String> created, WrittenPartitions partitions, Table table)
      throws IOException, HiveException {
    Predicate<Path> replacedLater = replacedLater();
    NewPartitions missing =
        new NewPartitions(getHive(), table, work.output().jobId(), conf, console);
    contents =
        contents.ofCreated(missing.add(created, replacedLater, contents), missing.uncounted());
    if (missing.replaced().isEmpty()) {
      return true;
    }
    console.printInfo(
        "zero-rename: "
            + work.description()
            + " leaves partitions to a later commit, which replaces them: "
            + missing.replaced());
    partitions.unstage(missing.replaced(), conf);
    superseded = partitions.areAll(missing.replaced());
    if (superseded) {
      move().ifPresent(move -> move.getWork().setLoadTableWork(null));
    }
    return false;
  }

  /** Which of its directories later commits replace, by now. One request. */
  Predicate<Path> replacedLater() throws IOException {
    return committed.open().isPresent()
        ? committed.open().get().replacedLater()
        : directory -> false;
  }

  private Optional<MoveTask> move() {
    return Optional.ofNullable(getChildTasks()).stream()
        .flatMap(List::stream)
        .filter(MoveTask.class::isInstance)
        .map(MoveTask.class::cast)
        .findFirst();
  }

  /**
   * @param ahead of the files that it replaces
   * @param table as it is now, if it is there
   */
  private void commit(
      CountedStores stores,
      CommitLog log,
      ListingPrefetch ahead,
      WrittenPartitions partitions,
      Optional<Table> table)
      throws IOException {
    OutputSpec output = work.output();
    FileSystem scratch = output.staging().getFileSystem(conf);
    Overwrite overwrite =
        !work.overwrites()
            ? Overwrite.none()
            : work.dynamicColumns().isEmpty()
                ? Overwrite.directory(output.destination())
                : Overwrite.directoriesOfFiles();
    JobDirectory job = JobDirectory.of(work.jobDirectory(), conf);
    committed =
        new JobCommit(stores, job, log, work.settings(conf), progress())
            .run(
                new CommitRequest(
                    new OutputJob(
                        output.jobId(),
                        work.description(),
                        work.target().path(),
                        partitions.roots(),
                        false,
                        Optional.of(job.path()),
                        work.target().attributes(table)),
                    job.refusingLost(ManifestSource.filesBelow(scratch, work.manifests(scratch))),
                    overwrite,
                    Optional.of(work.begun()),
                    ahead,
                    this::refuseIfCancelled));
    followsOthers = committed.open().filter(it -> !it.follows().isEmpty()).isPresent();
    keepDirectory(committed);
    // Hive's console helper writes the line to the log as well.
    console.printInfo(
        "zero-rename: " + new CommitLine(work.description(), committed, stores.counts().toMap()));
  }

  /** What listeners of the metastore are told; nothing where they need not be. */
  private Optional<InsertEvents> events(WrittenPartitions partitions, Optional<Table> table)
      throws IOException {
    if (table.isEmpty() || !conf.getBoolVar(ConfVars.FIRE_EVENTS_FOR_DML)) {
      return Optional.empty();
    }
    if (committed.open().isEmpty()) {
      // Whoever carries a commit on alters its partitions, of which listeners are told as well.
      console.printInfo(
          "zero-rename: listeners of the metastore are not told which files "
              + work.description()
              + " has added: another process has ended its commit");
      return Optional.empty();
    }
    return Optional.of(
        InsertEvents.of(
            table.get(),
            work.output().destination(),
            work.overwrites(),
            partitions.known(),
            committed.open().get().plan().files(),
            conf));
  }

  /** An interrupt alone may be lost between two requests. */
  private void refuseIfCancelled() throws IOException {
    if (cancelled) {
      throw new InterruptedIOException(
          work.description() + " was not committed: the query was cancelled.");
    }
  }

  /** For the session's console, and by it for HiveServer2's log of the operation. */
  private CommitProgress progress() {
    return CommitProgress.from(
        conf, message -> console.printInfo("zero-rename: " + work.description() + ": " + message));
  }

  /** An INSERT of no rows into a new partition leaves a directory, as with Hive's own path. */
  private void keepDirectory(CommitReport report) {
    if (report.files() > 0 || !work.dynamicColumns().isEmpty() || work.overwrites()) {
      return;
    }
    Path destination = work.output().destination();
    try {
      destination.getFileSystem(conf).mkdirs(destination);
    } catch (IOException e) {
      COMMIT_LOG.warn("Cannot make the empty directory {}", destination, e);
    }
  }

  /** What the commit has left in the table or the partitions; empty before it. */
  Optional<CommittedContents> contents() {
    return Optional.ofNullable(contents);
  }

  /**
   * Whether another process has brought the commit to its end in place of this one: what it made
   * visible may since have been replaced, or stand beside the files of others.
   */
  boolean isEndedElsewhere() {
    return committed != null && committed.open().isEmpty();
  }

  /**
   * Whether statistics can be wrong that the statement writes for what it has replaced: another may
   * add to them of whose rows nothing is left.
   */
  boolean isBesideOthers() {
    return committed != null && (committed.decidedBefore() || followsOthers);
  }

  /** Whether a later commit has replaced all of it, so that nothing is left to do for Hive. */
  boolean isSuperseded() {
    return superseded;
  }

  /** What the metastore said of the table or the partitions; empty before the commit. */
  Optional<StatisticsSnapshot> statistics() {
    return Optional.ofNullable(statistics);
  }

  /** What listeners of the metastore are told after the commit. */
  Optional<InsertEvents> events() {
    return Optional.ofNullable(events);
  }

  /** Notes what a later job must know to clean up after this query, if this process is killed. */
  public void queryBegins(Configuration configuration) throws IOException {
    JobDirectory.of(work.jobDirectory(), configuration).begin(work.commitLog());
  }

  /** Lets this wait for the commit of an earlier target, and tells of the end of that. */
  public void follow(CommitTask other) {
    earlier.add(other);
  }

  /**
   * Notes that the target is at its end, its metastore and statistics included, so that nobody
   * waits for the rest of the statement before replacing its files.
   */
  void finish() {
    if (committed != null && !finished) {
      new QueryEnd(work, conf, console).finish(committed);
      finished = true;
    }
  }

  private void closeStores() {
    if (s3 != null) {
      try {
        s3.close();
      } catch (IOException e) {
        COMMIT_LOG.warn("Cannot close the connections of {}", work.description(), e);
      }
      s3 = null;
    }
  }

  /**
   * The end of the query, however it came about.
   *
   * @param failed whether the query failed
   */
  public void queryEnded(HiveConf configuration, boolean failed) {
    QueryEnd end = new QueryEnd(work, configuration, SessionState.getConsole());
    // A query is cancelled by an interrupt, and file systems and waits refuse to work under one.
    boolean interrupted = Thread.interrupted();
    try {
      if (committed != null && !failed) {
        if (!finished) {
          end.finish(committed);
        }
        end.cleanUp();
        new UnusedStaging(work, configuration).remove(committed, context);
      } else {
        end.failed();
      }
      end.beginBackgroundWork(committed != null && !committed.behind().isEmpty(), due);
      due = DueMaintenance.NONE;
    } finally {
      if (committed != null) {
        committed.open().ifPresent(OpenCommit::close);
      }
      closeStores();
      // The client may leave its statement open for long; the plan is not needed for that.
      committed = null;
      contents = null;
      statistics = null;
      events = null;
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
