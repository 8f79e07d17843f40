package io.zerorename.hive.commit;

import io.zerorename.core.commit.CommitReport;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hive.conf.HiveConf;
import org.apache.hadoop.hive.ql.metadata.HiveException;
import org.apache.hadoop.hive.ql.session.SessionState;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the output of one INSERT visible, between the task that wrote it and the one that updates
 * the metastore. {@link InsertCommit} has the steps.
 */
public final class CommitTask extends StatementTask<CommitWork> {
  private static final long serialVersionUID = 1L;
  private static final Logger COMMIT_LOG = LoggerFactory.getLogger(CommitTask.class);

  private final transient Predicate<Configuration> hasRows;
  private final transient List<CommitTask> earlier = new ArrayList<>();
  private transient volatile BegunInsert begun;
  private transient volatile InsertCommit commit;
  private transient volatile CommittedInsert committed;
  private transient boolean finished;
  private transient boolean isAlone;
  private transient volatile boolean cancelled;
  private transient volatile Thread executing;

  /**
   * @param hasRows whether tasks have written rows for it, as far as is known when they have ended
   */
  public CommitTask(Predicate<Configuration> hasRows) {
    super("ZERO-RENAME-COMMIT");
    this.hasRows = hasRows;
  }

  /** Lets this wait for the commit of an earlier target, and finish that. */
  public void follow(CommitTask other) {
    earlier.add(other);
  }

  /**
   * The begin of the execution, before any task: where the commit will be decided.
   *
   * @param statement its text
   * @throws IOException where that cannot be, and no task may run
   */
  public void queryBegins(HiveConf configuration, String statement) throws IOException {
    begun = BegunInsert.begin(work, configuration, statement);
  }

  /**
   * Whether the rows are those of a run that another job has committed, so that none are needed.
   */
  public boolean isRepeated() {
    return begun.isRepeated();
  }

  /** No task has written for this one: the plan has none any more. */
  public void runsAlone() {
    isAlone = true;
  }

  /**
   * Hive calls this when the query is cancelled, from another thread. Before its decision the
   * commit stops at an interrupt; after that it completes.
   */
  @Override
  public void shutdown() {
    cancelled = true;
    Thread thread = executing;
    if (thread != null) {
      thread.interrupt();
    }
  }

  /** An interrupt alone may be lost between two requests. */
  private void refuseIfCancelled() throws IOException {
    if (cancelled) {
      throw new InterruptedIOException(
          work.description() + " was not committed: the query was cancelled.");
    }
  }

  @Override
  public int execute() {
    if (context.getExplainAnalyze() != null) {
      // EXPLAIN ANALYZE runs the tasks to count their rows; the end of the query aborts them.
      return 0;
    }
    executing = Thread.currentThread();
    try {
      refuseIfCancelled();
      earlier.forEach(CommitTask::finish);
      commit = new InsertCommit(begun, isAlone, () -> hasRows.test(conf), conf, getHive(), console);
      committed = commit.run(this::refuseIfCancelled);
      return 0;
    } catch (IOException | HiveException | RuntimeException e) {
      COMMIT_LOG.error("ZR-5205: Committing the output of {} failed", work.description(), e);
      console.printError("zero-rename: " + e.getMessage());
      setException(e);
      return 1;
    } finally {
      executing = null;
    }
  }

  /** What the tasks behind this one need; empty before the commit, and for EXPLAIN ANALYZE. */
  Optional<CommittedInsert> committed() {
    return Optional.ofNullable(committed);
  }

  private Optional<CommitReport> report() {
    return Optional.ofNullable(commit).flatMap(InsertCommit::report);
  }

  /**
   * Notes that the target is complete, its metastore and statistics included, so that no process
   * waits for the rest of the statement before it replaces the files.
   */
  void finish() {
    if (report().isPresent() && !finished) {
      new QueryEnd(begun, conf, console).finish(report().get());
      finished = true;
    }
  }

  /**
   * The end of the query, however it came about. There is nothing to end where it has not begun, as
   * behind a hook of Hive's that has refused it.
   *
   * @param failed whether the query failed
   */
  public void queryEnded(HiveConf configuration, boolean failed) {
    if (begun == null) {
      return;
    }
    QueryEnd end = new QueryEnd(begun, configuration, SessionState.getConsole());
    // A query is cancelled by an interrupt, and file systems and waits refuse to work under one.
    boolean interrupted = Thread.interrupted();
    Optional<CommitReport> report = report();
    try {
      if (report.isPresent() && (!failed || report.get().repeats().isPresent())) {
        if (!finished) {
          end.finish(report.get());
        }
        end.removeStaging();
        end.removeUnusedStaging(report.get(), context);
      } else {
        end.failed(report.isPresent());
      }
      end.beginBackgroundWork(report);
    } finally {
      close();
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** The client may leave its statement open for long; the commit's plan is not needed for that. */
  private void close() {
    try {
      if (commit != null) {
        commit.close();
      }
    } catch (IOException e) {
      COMMIT_LOG.warn("ZR-4202: Cannot close the connections of {}", work.description(), e);
    }
    commit = null;
    committed = null;
    begun = null;
  }
}
