package io.zerorename.hive.bypass;

import io.zerorename.core.commit.EngineStatement;
import io.zerorename.core.commit.RecoveryAdvice;
import io.zerorename.core.job.CommitLogs;
import io.zerorename.core.job.CommitSettings;
import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.OutputJob;
import io.zerorename.core.parallel.Uninterrupted;
import io.zerorename.core.parallel.Workers;
import io.zerorename.core.s3a.S3AObjectStores;
import io.zerorename.core.store.ErrorText;
import io.zerorename.core.store.Failures;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.StoreException;
import io.zerorename.hive.bypass.StatementKind.Change;
import io.zerorename.hive.commit.CommitTask;
import io.zerorename.hive.commit.TableRecovery;
import io.zerorename.hive.config.HiveKeys;
import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hive.conf.HiveConf;
import org.apache.hadoop.hive.ql.QueryPlan;
import org.apache.hadoop.hive.ql.metadata.Hive;
import org.apache.hadoop.hive.ql.metadata.HiveException;
import org.apache.hadoop.hive.ql.metadata.Table;
import org.apache.hadoop.hive.ql.session.SessionState.LogHelper;
import org.apache.hadoop.util.StringUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A statement that changes files on Hive's own path, past the committer. Where it removes or
 * replaces files, no file of an earlier commit may appear afterwards: the logs of its targets are
 * read before and after, and an entry is written where a log has open entries or has got others.
 * Where each row stays, earlier commits that were interrupted are resumed first: otherwise they
 * would take the statement's files for a foreign writer's, or miss those that it moves.
 */
public final class BypassingStatement implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(BypassingStatement.class);

  private final QueryPlan plan;
  private final HiveConf conf;
  private final Hive hive;
  private final LogHelper console;
  private final S3AObjectStores stores;
  private final List<Removal> removals = Collections.synchronizedList(new ArrayList<>());

  /** For the console. The workers' threads have no session, and so none. */
  private final List<String> warnings = Collections.synchronizedList(new ArrayList<>());

  private final List<String> reports = Collections.synchronizedList(new ArrayList<>());
  private Optional<ClearTask> task = Optional.empty();

  /**
   * A target whose files the statement removes, and its log, which may need an entry after that.
   */
  private record Removal(AffectedTarget target, Path log, EngineStatement replacement) {}

  /** A statement that removes rows must not run, because a commit log cannot be read. */
  public static final class UnreadableLogException extends IOException {
    private static final long serialVersionUID = 1L;

    UnreadableLogException(String message, Throwable cause) {
      super(message, cause);
    }
  }

  private BypassingStatement(QueryPlan plan, HiveConf conf, Hive hive, LogHelper console) {
    this.plan = plan;
    this.conf = conf;
    this.hive = hive;
    this.console = console;
    this.stores = new S3AObjectStores(conf);
  }

  /**
   * Reads the logs, before Hive runs the statement. One LIST for each target on S3.
   *
   * @param commits what the committer commits itself
   * @return empty where it changes no files of tables on S3
   * @throws UnreadableLogException where the statement must not run
   */
  public static Optional<BypassingStatement> begin(
      QueryPlan plan, Collection<CommitTask> commits, HiveConf conf, LogHelper console)
      throws IOException, HiveException {
    List<AffectedTarget> targets =
        AffectedTarget.of(plan, commits, conf).stream()
            .filter(it -> HiveKeys.ENABLED.from(conf, bucketOf(it)))
            .toList();
    if (targets.isEmpty()) {
      return Optional.empty();
    }
    BypassingStatement statement = new BypassingStatement(plan, conf, Hive.get(conf), console);
    boolean begun = false;
    try {
      statement.begin(targets);
      begun = true;
      return Optional.of(statement);
    } finally {
      if (!begun) {
        statement.close();
      }
    }
  }

  private static String bucketOf(AffectedTarget target) {
    return ObjectKeys.bucketOf(target.target().path());
  }

  private void begin(List<AffectedTarget> targets) throws IOException {
    List<AffectedTarget> removed = new ArrayList<>();
    for (AffectedTarget target : targets) {
      if (target.change() == Change.KEEP) {
        resume(target);
      } else {
        removed.add(target);
      }
    }
    if (removed.isEmpty()) {
      return;
    }
    try {
      workers(removed.get(0)).forEach(removed, this::read);
    } finally {
      warnings.forEach(it -> console.printError("zero-rename: " + it));
    }
    if (!removals.isEmpty()) {
      task = Optional.of(ClearTask.addTo(plan, this));
    }
  }

  /** A database may have thousands of tables. */
  private Workers workers(AffectedTarget one) {
    return CommitSettings.from(conf, bucketOf(one)).workers();
  }

  /** Resumes the interrupted commits of a target whose rows the statement keeps. */
  private void resume(AffectedTarget target) throws InterruptedIOException {
    String name = target.target().name();
    try {
      CommitLog log = logOf(target);
      if (log.tail().open().isEmpty()) {
        return;
      }
      say(
          "ZR-5401: earlier commits to %s have not ended. They are completed before the statement begins"
              .formatted(name));
      new TableRecovery(hive, target.target(), stores, conf)
          .run(log.directory(), Duration.ZERO, it -> true)
          .forEach(this::say);
    } catch (IOException | RuntimeException e) {
      if (Thread.currentThread().isInterrupted()) {
        throw (InterruptedIOException)
            new InterruptedIOException(
                    ("zero-rename: ZR-5132: Hive has not begun the statement, and %s is as it was: it was"
                            + " cancelled while earlier commits were completed.")
                        .formatted(name))
                .initCause(e);
      }
      console.printError(
          ("zero-rename: ZR-5403: whether commits of %s were interrupted cannot be found out now: %s If one"
                  + " was, it may be left to: zerorename recover %s")
              .formatted(name, ErrorText.of(e), target.target().path()),
          "\n" + StringUtils.stringifyException(e));
    }
  }

  /** Reads the log of a target whose files the statement removes. */
  private void read(AffectedTarget target) throws UnreadableLogException {
    try {
      CommitLog log = logOf(target);
      CommitSettings settings = CommitSettings.from(conf, bucketOf(target));
      EngineStatement replacement = new EngineStatement(stores, log, settings, target.searched());
      removals.add(new Removal(target, log.directory(), replacement));
    } catch (IOException | RuntimeException e) {
      unreadable(target, e);
    }
  }

  private CommitLog logOf(AffectedTarget target) {
    return new CommitLogs(stores, conf).of(target.target().path());
  }

  /** Fails the statement, or warns where it may go on. */
  private void unreadable(AffectedTarget target, Exception failure) throws UnreadableLogException {
    String name = target.target().name();
    String cause = ErrorText.of(failure);
    boolean denied =
        failure instanceof StoreException store
            && store.kind() == StoreException.Kind.ACCESS_DENIED;
    if (denied || target.change() == Change.DROP) {
      LOG.info("Cannot read the commit log of {}", name, failure);
      warnings.add(
          ("ZR-5405: the commit log of %s cannot be read: %s Rows of an INSERT that was"
                  + " interrupted before may appear later.")
              .formatted(name, cause));
      return;
    }
    throw new UnreadableLogException(
        ("zero-rename: ZR-5406: %s was not run, and nothing was changed: the commit log of %s"
                + " cannot be read: %s Without it, rows of an INSERT that was interrupted before"
                + " may appear later. Run the statement again, or set %s=false to run it all the"
                + " same.")
            .formatted(
                target.description(), name, cause, HiveKeys.ENABLED.nameIn(conf, bucketOf(target))),
        failure);
  }

  /**
   * Decides and executes the entries that are needed, after Hive has run the statement. One LIST
   * for each target where none is.
   */
  void end() throws IOException {
    Failures failures = new Failures();
    try {
      Uninterrupted.call(
          () -> {
            workers(removals.get(0).target())
                .forEach(removals, removal -> failures.of(() -> end(removal)));
            return null;
          });
    } finally {
      reports.forEach(this::say);
    }
    failures.throwAny();
  }

  private void end(Removal removal) throws IOException {
    AffectedTarget target = removal.target();
    try {
      Set<Path> changed = target.changed(plan, removal.replacement().scope());
      removal
          .replacement()
          .commit(job(target, changed), changed, since -> !isTaken(target, since))
          .ifPresent(
              cleared ->
                  reports.add(
                      ("ZR-5407: %s is entry %s of %s. It has removed what entries %s wrote there,"
                              + " which were interrupted or ran at the same time")
                          .formatted(
                              target.description(),
                              cleared.number(),
                              removal.log(),
                              cleared.follows())));
    } catch (IOException | RuntimeException e) {
      failed(removal, e);
    }
  }

  private static OutputJob job(AffectedTarget target, Set<Path> changed) {
    Path path = target.target().path();
    Stream<Path> elsewhere = changed.stream().filter(it -> !ObjectKeys.isAtOrBelow(it, path));
    return new OutputJob(
        UUID.randomUUID().toString(),
        target.description(),
        path,
        Stream.concat(Stream.of(path), elsewhere).toList(),
        false,
        // A dropped table has no attributes that could be checked.
        target.change() == Change.DROP
            ? Map.of()
            : target.target().attributes(target.target().table()));
  }

  /**
   * Whether the place of a dropped table is that of another one by now: of the same name, or of one
   * for which jobs have been decided there since. What these have written is not the dropped one's.
   * Workers ask one after the other, because Hive's client serves one thread.
   */
  private synchronized boolean isTaken(AffectedTarget target, List<OutputJob> since)
      throws IOException {
    if (target.change() != Change.DROP) {
      return false;
    }
    Table table = target.target().table().orElseThrow();
    try {
      boolean taken =
          since.stream().anyMatch(job -> !target.target().isOf(job.attributes()))
              || hive.getTable(table.getDbName(), table.getTableName(), false) != null;
      if (taken) {
        reports.add(
            ("ZR-5410: %s is another table's place by now, and so %s has no entry in its commit"
                    + " log. If an earlier commit of the dropped table was interrupted, %s")
                .formatted(
                    target.target().path(),
                    target.description(),
                    RecoveryAdvice.toGiveUp(target.target().path())));
      }
      return taken;
    } catch (HiveException e) {
      throw new IOException(
          "ZR-5408: The metastore does not say whether %s was created again: %s"
              .formatted(target.target().name(), e.getMessage()),
          e);
    }
  }

  private void failed(Removal removal, Exception failure) throws IOException {
    AffectedTarget target = removal.target();
    String message =
        ("ZR-5409: Hive has run %s, but the commit log %s could not be read or written after that:"
                + " %s If an INSERT was interrupted before, or ran at the same time, rows of it may"
                + " be there or appear later.")
            .formatted(target.description(), removal.log(), ErrorText.of(failure));
    String command = RecoveryAdvice.toGiveUp(target.target().path());
    if (target.change() == Change.DROP) {
      LOG.warn(message, failure);
      reports.add(message + " " + command);
      return;
    }
    String advice = " In that case run the statement again. If that is not possible: ";
    throw new IOException(message + advice + command, failure);
  }

  private void say(String message) {
    console.printInfo("zero-rename: " + message);
  }

  @Override
  public void close() throws IOException {
    task.ifPresent(ClearTask::removeFromPlan);
    stores.close();
  }
}
