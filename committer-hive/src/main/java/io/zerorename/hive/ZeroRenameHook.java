package io.zerorename.hive;

import io.zerorename.core.commit.CommitLogs;
import io.zerorename.core.commit.WorkDirectory;
import io.zerorename.core.config.S3AFileSystems;
import io.zerorename.core.config.Version;
import io.zerorename.core.metrics.CommitterMetrics;
import io.zerorename.core.s3a.S3AObjectStores;
import java.io.IOException;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The committer's entry into Hive. Name it in {@code hive.semantic.analyzer.hook}, where it decides
 * about each INSERT into S3 and rewrites the plan of those that are eligible, and in {@code
 * hive.query.lifetime.hooks}, where it cleans up after each query that did not commit.
 *
 * <p>It never fails a statement that Hive would run without it, unless {@link HiveKeys#FALLBACK}
 * says so: whatever goes wrong while a plan is examined leaves the plan untouched, with the reason
 * on the console and in the log.
 *
 * <p>Hive makes one instance for a statement's analysis and another for its lifetime; they share no
 * state but the plan.
 */
public final class ZeroRenameHook implements HiveSemanticAnalyzerHook, QueryLifeTimeHook {
  private static final Logger LOG = LoggerFactory.getLogger(ZeroRenameHook.class);

  private Statement statement = Statement.OTHER;

  /** For Hive. */
  public ZeroRenameHook() {}

  @Override
  public ASTNode preAnalyze(HiveSemanticAnalyzerHookContext context, ASTNode tree) {
    // The analysis changes the tree, so it is looked at before. No error may leave this method.
    try {
      Version.logOnce();
      statement = Statement.of(tree);
    } catch (RuntimeException | LinkageError e) {
      LOG.warn("Cannot tell the kind of statement; it will not be rewritten", e);
      statement = Statement.OTHER;
    }
    return tree;
  }

  @Override
  public void postAnalyze(HiveSemanticAnalyzerHookContext context, List<Task<?>> rootTasks)
      throws SemanticException {
    if (statement == Statement.EXPLAIN || rootTasks == null || rootTasks.isEmpty()) {
      return;
    }
    String target = "the statement's target";
    // Empty until it is known that the statement writes to S3.
    Optional<PlanReader> toS3 = Optional.empty();
    PlanRewrite rewrite;
    try {
      HiveConf conf = (HiveConf) context.getConf();
      PlanReader plan = new PlanReader(rootTasks, conf);
      if (!plan.writesToS3()) {
        return;
      }
      target = plan.target();
      toS3 = Optional.of(plan);
      SessionAdvice.tellOfUnknownKeys(conf);
      rewrite = examine(plan, context, conf);
    } catch (NotEligible e) {
      fallBack(e.fallback(), target, toS3, context.getConf());
      return;
    } catch (Throwable e) {
      LOG.warn("Unexpected problem while examining the plan of {}; it stays as it is", target, e);
      fallBack(
          new Fallback(FallbackReason.INTERNAL, e.toString()), target, toS3, context.getConf());
      return;
    }
    rewrite.apply();
    LOG.info("zero-rename: {} will be committed without renames", target);
  }

  private PlanRewrite examine(
      PlanReader plan, HiveSemanticAnalyzerHookContext context, HiveConf conf) throws Exception {
    PlannedInsert insert =
        new Eligibility(conf, plan.bucket()).check(statement, plan, context.getHive());
    String jobId = UUID.randomUUID().toString();
    Path workDirectory = openWorkDirectory(conf);
    Path staging = staging(jobId, workDirectory, conf);
    boolean countsNewPartitions =
        insert.isDynamic() && !insert.overwrites() && PartitionTriggers.exist(context.getHive());
    return new PlanRewrite(
        insert, jobId, staging, workDirectory, openLog(insert, context, conf), countsNewPartitions);
  }

  /**
   * Where Hive's tasks put and rename manifests: the session's scratch directory, or, where that is
   * on S3 and each rename a copy, the job's own directory.
   */
  private static Path staging(String jobId, Path workDirectory, HiveConf conf) throws IOException {
    Path session = SessionState.getHDFSSessionPath(conf);
    Path staging =
        S3AFileSystems.holds(session, conf)
            ? new Path(new Path(workDirectory, jobId), "staging")
            : new Path(session, "zerorename-" + jobId);
    return staging.getFileSystem(conf).makeQualified(staging);
  }

  /** Chooses where the commit is decided, and ends what earlier ones have left open there. */
  private static Path openLog(
      PlannedInsert insert, HiveSemanticAnalyzerHookContext context, HiveConf conf)
      throws NotEligible, HiveException, IOException {
    try (S3AObjectStores stores = new S3AObjectStores(conf)) {
      WorkDirectory work = WorkDirectory.of(HiveWorkDirectory.of(conf), conf);
      Path log;
      try {
        log = new CommitLogs(stores, conf, Optional.of(work)).choose(insert.table().getPath());
      } catch (IOException e) {
        throw new NotEligible(FallbackReason.BAD_CONFIGURATION, e.getMessage());
      }
      endOthers(new TableRecovery(context.getHive(), insert.table(), stores, conf), log);
      return log;
    }
  }

  /**
   * As far as that is possible; an overwrite looks again, and insists, before it lists old files.
   */
  private static void endOthers(TableRecovery recovery, Path log) {
    try {
      recovery.run(log).forEach(ZeroRenameHook::tell);
    } catch (IOException | RuntimeException e) {
      LOG.warn("Cannot look for open commits in {}", log, e);
      tell("whether an earlier commit is open cannot be seen: " + e.getMessage());
    }
  }

  private static void tell(String message) {
    SessionState.getConsole().printInfo("zero-rename: " + message);
  }

  /** Found out here, so that a directory that cannot be written to fails no task. */
  private static Path openWorkDirectory(HiveConf conf) throws NotEligible, IOException {
    WorkDirectory work = WorkDirectory.of(HiveWorkDirectory.of(conf), conf);
    try {
      return work.open(LocalDate.now(ZoneOffset.UTC));
    } catch (IOException e) {
      throw new NotEligible(FallbackReason.BAD_CONFIGURATION, e.getMessage());
    }
  }

  private void fallBack(
      Fallback fallback, String target, Optional<PlanReader> toS3, Configuration conf)
      throws SemanticException {
    CommitterMetrics.publish();
    CommitterMetrics.addFallback(fallback.reason().name());
    if (toS3.isPresent() && FallbackPolicy.fails(statement, toS3.get(), fallback, conf)) {
      throw new SemanticException(FallbackPolicy.message(fallback, toS3.get(), conf));
    }
    // Hive's console helper writes the line to the log as well.
    SessionState.getConsole().printInfo(fallback.message(target));
  }

  @Override
  public void beforeCompile(QueryLifeTimeHookContext context) {}

  @Override
  public void afterCompile(QueryLifeTimeHookContext context, boolean hasError) {}

  @Override
  public void beforeExecution(QueryLifeTimeHookContext context) {
    try {
      for (CommitTask commit : commitsOf(context)) {
        commit.queryBegins(context.getHiveConf());
      }
    } catch (Throwable e) {
      // Only what a killed HiveServer2 leaves behind would not be cleaned up.
      LOG.warn("Cannot note that query {} begins", context.getCommand(), e);
    }
  }

  private static List<CommitTask> commitsOf(QueryLifeTimeHookContext context) {
    QueryPlan plan = context.getHookContext().getQueryPlan();
    return plan == null || plan.getRootTasks() == null
        ? List.of()
        : PlanReader.allTasks(List.copyOf(plan.getRootTasks())).stream()
            .filter(CommitTask.class::isInstance)
            .map(CommitTask.class::cast)
            .toList();
  }

  @Override
  public void afterExecution(QueryLifeTimeHookContext context, boolean hasError) {
    try {
      for (CommitTask commit : commitsOf(context)) {
        commit.queryEnded(context.getHiveConf(), hasError);
      }
    } catch (Throwable e) {
      // Hive calls this in a finally block: an error would take the place of the query's outcome.
      LOG.error("Cannot clean up after query {}", context.getCommand(), e);
    }
  }
}
