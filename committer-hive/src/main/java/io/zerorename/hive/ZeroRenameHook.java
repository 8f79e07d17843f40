package io.zerorename.hive;

import io.zerorename.core.config.Version;
import io.zerorename.hive.bypass.BypassingStatement;
import io.zerorename.hive.bypass.BypassingStatement.UnreadableLogException;
import io.zerorename.hive.commit.CommitTask;
import io.zerorename.hive.config.HiveKeys;
import io.zerorename.hive.fallback.Fallback;
import io.zerorename.hive.fallback.PlatformVersions;
import io.zerorename.hive.plan.PlanTasks;
import io.zerorename.hive.plan.Statement;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.hive.conf.HiveConf;
import org.apache.hadoop.hive.ql.QueryPlan;
import org.apache.hadoop.hive.ql.exec.Task;
import org.apache.hadoop.hive.ql.hooks.QueryLifeTimeHook;
import org.apache.hadoop.hive.ql.hooks.QueryLifeTimeHookContext;
import org.apache.hadoop.hive.ql.metadata.HiveException;
import org.apache.hadoop.hive.ql.parse.ASTNode;
import org.apache.hadoop.hive.ql.parse.HiveSemanticAnalyzerHook;
import org.apache.hadoop.hive.ql.parse.HiveSemanticAnalyzerHookContext;
import org.apache.hadoop.hive.ql.parse.SemanticException;
import org.apache.hadoop.hive.ql.session.SessionState;
import org.apache.hadoop.hive.ql.session.SessionState.LogHelper;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The committer's entry into Hive. Name it in {@code hive.semantic.analyzer.hook}, where it decides
 * about each INSERT into S3 and rewrites the plan of those that are eligible, and in {@code
 * hive.query.lifetime.hooks}, where it cleans up after each query that did not commit.
 *
 * <p>While a plan is examined it never fails a statement that Hive would run without it, unless
 * {@link HiveKeys#FALLBACK} says so: whatever goes wrong leaves the plan untouched, with the reason
 * on the console and in the log. It sends no request to S3 then, because Hive has not authorized
 * the statement yet. Once Hive begins to execute it, the statement fails before its first task
 * where the committer cannot keep the records of its commit.
 *
 * <p>Hive makes one instance for a statement's analysis and another for its lifetime; they share no
 * state but the plan.
 */
public final class ZeroRenameHook implements HiveSemanticAnalyzerHook, QueryLifeTimeHook {
  private static final Logger LOG = LoggerFactory.getLogger(ZeroRenameHook.class);

  private Statement statement = Statement.OTHER;

  /** The statement that is executed, where it changes files past the committer. */
  private Optional<BypassingStatement> bypassing = Optional.empty();

  @Override
  public ASTNode preAnalyze(HiveSemanticAnalyzerHookContext context, ASTNode tree) {
    // Before the analysis, which changes the tree. No error may leave this method.
    try {
      Version.logOnce();
      statement = Statement.of(tree);
      ScratchStaging.begin((HiveConf) context.getConf(), statement);
    } catch (RuntimeException | LinkageError e) {
      LOG.warn("ZR-5107: The kind of the statement is not known; it will not be rewritten", e);
      statement = Statement.OTHER;
    }
    return tree;
  }

  @Override
  public void postAnalyze(HiveSemanticAnalyzerHookContext context, List<Task<?>> rootTasks)
      throws SemanticException {
    ScratchStaging.end((HiveConf) context.getConf());
    if (statement == Statement.PREPARE || rootTasks == null || rootTasks.isEmpty()) {
      return;
    }
    StatementRewrite rewrite;
    try {
      rewrite =
          new StatementRewrite(
              statement,
              (HiveConf) context.getConf(),
              context.getHive(),
              StatementRewrite.explained(rootTasks));
    } catch (HiveException | RuntimeException | LinkageError e) {
      Optional<Fallback> lacking = PlatformVersions.lacking(e);
      LOG.warn("ZR-5108: Cannot read the plan; it stays as it is", e);
      lacking.ifPresent(reason -> SessionState.getConsole().printInfo(reason.message("the table")));
      return;
    }
    rewrite.run(rootTasks);
  }

  @Override
  public void beforeCompile(QueryLifeTimeHookContext context) {}

  @Override
  public void afterCompile(QueryLifeTimeHookContext context, boolean hasError) {
    ScratchStaging.end(context.getHiveConf());
  }

  @Override
  public void beforeExecution(QueryLifeTimeHookContext context) {
    try {
      List<CommitTask> commits = commitsOf(context);
      for (CommitTask commit : commits) {
        commit.queryBegins(context.getHiveConf(), context.getCommand());
      }
      leaveOutSpared(context.getHookContext().getQueryPlan(), commits);
    } catch (IOException e) {
      throw refused(e);
    }
    bypassing = bypassing(context);
  }

  /**
   * Leaves a plan the commits and what is behind them, where the rows of all commits are there
   * already, because their runs were committed before, and the plan does nothing else. To be called
   * before Hive takes the tasks from the plan.
   */
  private static void leaveOutSpared(QueryPlan plan, List<CommitTask> commits) {
    if (commits.isEmpty() || !commits.stream().allMatch(CommitTask::isRepeated)) {
      return;
    }
    List<Task<?>> kept = PlanTasks.all(List.copyOf(commits));
    if (!kept.containsAll(PlanTasks.leaves(List.copyOf(plan.getRootTasks())))) {
      return;
    }
    for (Task<?> task : kept) {
      List<Task<?>> parents = new ArrayList<>(task.getParentTasks());
      parents.retainAll(kept);
      task.setParentTasks(parents);
    }
    commits.forEach(CommitTask::runsAlone);
    plan.setRootTasks(
        new ArrayList<>(kept.stream().filter(task -> task.getParentTasks().isEmpty()).toList()));
  }

  /** Fails the statement: Hive only lets the hook throw what is unchecked. */
  private static UncheckedIOException refused(IOException e) {
    SessionState.getConsole().printError(e.getMessage());
    return new UncheckedIOException(e.getMessage(), e);
  }

  /** Fails the statement only where it would remove rows and no log can be read. */
  private static Optional<BypassingStatement> bypassing(QueryLifeTimeHookContext context) {
    QueryPlan plan = context.getHookContext().getQueryPlan();
    LogHelper console = SessionState.getConsole();
    try {
      // Hive gives EXPLAIN the operation that it explains.
      if (plan == null
          || plan.getRootTasks() == null
          || StatementRewrite.explained(List.copyOf(plan.getRootTasks())).isPresent()) {
        return Optional.empty();
      }
      return BypassingStatement.begin(plan, commitsOf(context), context.getHiveConf(), console);
    } catch (UnreadableLogException | InterruptedIOException e) {
      throw refused(e);
    } catch (Throwable e) {
      LOG.warn(
          "ZR-5110: Cannot determine whether {} has to wait for commits", context.getCommand(), e);
      return Optional.empty();
    }
  }

  private static List<CommitTask> commitsOf(QueryLifeTimeHookContext context) {
    QueryPlan plan = context.getHookContext().getQueryPlan();
    return plan == null || plan.getRootTasks() == null
        ? List.of()
        : PlanTasks.all(List.copyOf(plan.getRootTasks())).stream()
            .filter(CommitTask.class::isInstance)
            .map(CommitTask.class::cast)
            .toList();
  }

  @Override
  public void afterExecution(QueryLifeTimeHookContext context, boolean hasError) {
    try {
      commitsOf(context).forEach(commit -> end(commit, context, hasError));
    } catch (Throwable e) {
      logNotCleanedUp(context, e);
    }
    try {
      if (bypassing.isPresent()) {
        bypassing.get().close();
      }
    } catch (Throwable e) {
      LOG.warn("ZR-4202: Cannot close the connections of {}", context.getCommand(), e);
    } finally {
      bypassing = Optional.empty();
    }
  }

  /** Each for itself: a failure at one target must not keep the others from their clean-up. */
  private static void end(CommitTask commit, QueryLifeTimeHookContext context, boolean hasError) {
    try {
      commit.queryEnded(context.getHiveConf(), hasError);
    } catch (Throwable e) {
      logNotCleanedUp(context, e);
    }
  }

  /** Hive calls the hook in a finally block: an error would replace the query's outcome. */
  private static void logNotCleanedUp(QueryLifeTimeHookContext context, Throwable e) {
    LOG.error("ZR-5112: Cannot clean up after query {}", context.getCommand(), e);
  }
}
