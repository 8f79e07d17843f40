package io.zerorename.hive.order;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.commit.EngineOverwrite;
import io.zerorename.core.job.CommitLogs;
import io.zerorename.core.job.CommitSettings;
import io.zerorename.core.job.WorkDirectory;
import io.zerorename.core.log.OutputJob;
import io.zerorename.core.parallel.Workers;
import io.zerorename.core.s3a.S3AObjectStores;
import io.zerorename.core.store.ErrorText;
import io.zerorename.core.store.Failures;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.StoreException;
import io.zerorename.hive.commit.CommitTask;
import io.zerorename.hive.commit.TableRecovery;
import io.zerorename.hive.config.HiveKeys;
import io.zerorename.hive.config.HiveWorkDirectory;
import io.zerorename.hive.config.UnreadableLogMode;
import io.zerorename.hive.metastore.InsertTarget;
import io.zerorename.hive.order.AffectedTarget.Change;
import io.zerorename.hive.plan.PlanTasks;
import java.io.Closeable;
import java.io.IOException;
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
import org.apache.hadoop.hive.ql.exec.Task;
import org.apache.hadoop.hive.ql.metadata.Hive;
import org.apache.hadoop.hive.ql.metadata.HiveException;
import org.apache.hadoop.hive.ql.metadata.Table;
import org.apache.hadoop.hive.ql.session.SessionState.LogHelper;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives a statement that Hive runs on its own path its place in the commit logs of its targets.
 * Where it removes or replaces files, no file of an earlier commit appears afterwards. Where each
 * row stays, earlier commits that were interrupted are resumed first: they would take the
 * statement's files for a foreign writer's, or miss those that it moves.
 */
public final class StatementOrder implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(StatementOrder.class);

  private final QueryPlan plan;
  private final HiveConf conf;
  private final Hive hive;
  private final LogHelper console;
  private final S3AObjectStores stores;
  private final List<Begun> begun = Collections.synchronizedList(new ArrayList<>());
  private Optional<OrderTask> added = Optional.empty();
  private final List<String> warnings = Collections.synchronizedList(new ArrayList<>());

  /** A log that was read before the statement began. */
  private record Begun(AffectedTarget target, Path log, EngineOverwrite replacement) {}

  private StatementOrder(QueryPlan plan, HiveConf conf, Hive hive, LogHelper console) {
    this.plan = requireNonNull(plan, "plan");
    this.conf = requireNonNull(conf, "conf");
    this.hive = requireNonNull(hive, "hive");
    this.console = requireNonNull(console, "console");
    this.stores = new S3AObjectStores(conf);
  }

  /**
   * Reads the logs, before Hive runs the statement. One LIST for each target on S3.
   *
   * @param commits what the committer commits itself
   * @return empty where it changes no files of tables on S3
   * @throws UnreadableLogException where the statement must not run
   */
  public static Optional<StatementOrder> begin(
      QueryPlan plan, Collection<CommitTask> commits, HiveConf conf, LogHelper console)
      throws IOException, HiveException {
    List<AffectedTarget> targets =
        AffectedTarget.of(plan, commits, conf).stream().filter(it -> isOn(it, conf)).toList();
    if (targets.isEmpty()) {
      return Optional.empty();
    }
    StatementOrder order = new StatementOrder(plan, conf, Hive.get(conf), console);
    boolean begun = false;
    try {
      order.begin(targets);
      order.addTask();
      begun = true;
      return Optional.of(order);
    } finally {
      if (!begun) {
        order.close();
      }
    }
  }

  private static boolean isOn(AffectedTarget target, HiveConf conf) {
    return HiveKeys.ENABLED.from(conf, ObjectKeys.bucketOf(target.target().path()));
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
    // A database may have thousands of tables.
    String bucket = ObjectKeys.bucketOf(removed.get(0).target().path());
    try (Workers workers = new Workers(CommitSettings.from(conf, bucket).threads())) {
      workers.forEach(removed, this::read);
    } finally {
      // Not by those threads, which have no session and so no console.
      warnings.forEach(this::say);
    }
  }

  /** The logs in which commits to a target may have been decided. */
  private Stream<Path> logsOf(InsertTarget target, CommitLogs logs) {
    return Stream.concat(
        Stream.of(logs.inBucket(target.path())), logs.onFileSystem(target.path()).stream());
  }

  private CommitLogs logs() throws IOException {
    return new CommitLogs(
        stores, conf, Optional.of(WorkDirectory.of(HiveWorkDirectory.of(conf), conf)));
  }

  /** In the thread of the statement, to which Hive has bound its session. */
  private void resume(AffectedTarget target) {
    try {
      CommitLogs logs = logs();
      for (Path log : logsOf(target.target(), logs).toList()) {
        if (logs.at(log).tail().open().isEmpty()) {
          continue;
        }
        say(
            "earlier commits to "
                + target.target().name()
                + " have not ended. Those that were interrupted are completed before the statement"
                + " begins");
        new TableRecovery(hive, target.target(), stores, conf)
            .run(log, it -> true)
            .forEach(this::say);
      }
    } catch (IOException | RuntimeException e) {
      LOG.warn("Cannot resume the interrupted commits of {}", target.target().name(), e);
      say(
          "whether commits of "
              + target.target().name()
              + " were interrupted cannot be found out now: "
              + ErrorText.of(e)
              + " If one was, it may be left to: zerorename recover "
              + target.target().path());
    }
  }

  private void say(String message) {
    console.printInfo("zero-rename: " + message);
  }

  private void read(AffectedTarget target) throws UnreadableLogException {
    try {
      CommitLogs logs = logs();
      for (Path log : logsOf(target.target(), logs).toList()) {
        EngineOverwrite replacement =
            EngineOverwrite.begin(stores, logs.at(log), settings(target), target.concerned());
        if (!replacement.isFirst()) {
          begun.add(new Begun(target, log, replacement));
        }
      }
    } catch (IOException | RuntimeException e) {
      refuse(target, e);
    }
  }

  private CommitSettings settings(AffectedTarget target) {
    return CommitSettings.from(conf, ObjectKeys.bucketOf(target.target().path()));
  }

  /** Fails the statement, or warns where it may go on. */
  private void refuse(AffectedTarget target, Exception failure) throws UnreadableLogException {
    String cause = ErrorText.of(failure);
    boolean denied =
        failure instanceof StoreException store
            && store.kind() == StoreException.Kind.ACCESS_DENIED;
    String bucket = ObjectKeys.bucketOf(target.target().path());
    if (denied
        || target.change() == Change.DROP
        || HiveKeys.UNREADABLE_LOG.from(conf, bucket) == UnreadableLogMode.IGNORE) {
      LOG.warn("Cannot read the commit log of {}", target.target().name(), failure);
      warnings.add(
          "the commit log of "
              + target.target().name()
              + " cannot be read: "
              + cause
              + " Rows of an INSERT that was interrupted before may appear later.");
      return;
    }
    throw new UnreadableLogException(
        "zero-rename: "
            + target.description()
            + " was not run, and nothing was changed: the commit log of "
            + target.target().name()
            + " cannot be read: "
            + cause
            + " Without it, rows of an INSERT that was interrupted before may appear later. Run the"
            + " statement again, or set "
            + HiveKeys.UNREADABLE_LOG.nameIn(conf, bucket)
            + "=ignore to run it all the same.",
        failure);
  }

  /**
   * Where a log has to be read again when Hive has run the statement, a task does so behind all
   * others. It is added here and not at compilation, so that a plan is what Hive has made of it.
   */
  private void addTask() {
    if (begun.isEmpty()) {
      return;
    }
    OrderTask task = new OrderTask();
    // Hive counts in the thread that compiles, which this one may not be.
    task.setId("Stage-ORDER");
    task.setWork(new OrderWork(this));
    for (Task<?> leaf : PlanTasks.leaves(List.copyOf(plan.getRootTasks()))) {
      leaf.addDependentTask(task);
    }
    added = Optional.of(task);
  }

  /** Decides and executes what is needed, after Hive has run the statement. */
  void end() throws IOException {
    Failures failures = new Failures();
    for (Begun one : begun) {
      try {
        end(one);
      } catch (IOException | RuntimeException e) {
        failures.of(() -> failed(one, e));
      }
    }
    failures.throwAny();
  }

  private void end(Begun one) throws IOException {
    AffectedTarget target = one.target();
    Set<Path> changed = target.changed(plan, one.replacement().scope());
    one.replacement()
        .end(job(target, changed), changed, () -> !isThereAgain(target))
        .ifPresent(
            cleared ->
                say(
                    target.description()
                        + " is entry "
                        + cleared.number()
                        + " of "
                        + one.log()
                        + ". It has removed what entries "
                        + cleared.follows()
                        + " wrote there, which were interrupted or ran at the same time"));
  }

  private OutputJob job(AffectedTarget target, Set<Path> changed) {
    Path path = target.target().path();
    List<Path> roots =
        Stream.concat(
                Stream.of(path), changed.stream().filter(it -> !ObjectKeys.isAtOrBelow(it, path)))
            .toList();
    return new OutputJob(
        UUID.randomUUID().toString(),
        target.description(),
        path,
        roots,
        false,
        Optional.empty(),
        // Of a table that is gone nothing is left to check.
        target.change() == Change.DROP
            ? Map.of()
            : target.target().attributes(target.target().table()));
  }

  /** A table that was created again since is not the dropped one. */
  private boolean isThereAgain(AffectedTarget target) throws IOException {
    if (target.change() != Change.DROP) {
      return false;
    }
    Table table = target.target().table().orElseThrow();
    try {
      return hive.getTable(table.getDbName(), table.getTableName(), false) != null;
    } catch (HiveException e) {
      throw new IOException(
          "The metastore does not say whether "
              + target.target().name()
              + " was created again: "
              + e.getMessage(),
          e);
    }
  }

  private void failed(Begun one, Exception failure) throws IOException {
    Path path = one.target().target().path();
    String message =
        "Hive has run "
            + one.target().description()
            + ", but that could not be written to the commit log "
            + one.log()
            + ": "
            + ErrorText.of(failure)
            + " Rows of an INSERT that was interrupted before, or that ran at the same time, may be"
            + " there or appear later.";
    if (one.target().change() == Change.DROP) {
      LOG.warn(message, failure);
      say(message + " End it by: zerorename recover --give-up " + path);
      return;
    }
    throw new IOException(
        message
            + " Run the statement again. If that is not possible, end the INSERT by: zerorename"
            + " recover --give-up "
            + path,
        failure);
  }

  /** Leaves the plan as it was: a prepared statement may run it again. */
  @Override
  public void close() throws IOException {
    if (added.isPresent() && added.get().getParentTasks() != null) {
      for (Task<?> leaf : List.copyOf(added.get().getParentTasks())) {
        leaf.removeDependentTask(added.get());
      }
    }
    stores.close();
  }
}
