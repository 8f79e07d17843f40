package io.zerorename.hive;

import static java.util.stream.Collectors.joining;

import io.zerorename.core.config.S3AFileSystems;
import io.zerorename.core.job.CommitLogs;
import io.zerorename.core.job.WorkDirectory;
import io.zerorename.core.metrics.CommitterMetrics;
import io.zerorename.core.s3a.S3AObjectStores;
import io.zerorename.hive.config.HiveKeys;
import io.zerorename.hive.config.HiveWorkDirectory;
import io.zerorename.hive.fallback.Eligibility;
import io.zerorename.hive.fallback.FailInsteadOfFallback;
import io.zerorename.hive.fallback.Fallback;
import io.zerorename.hive.fallback.FallbackReason;
import io.zerorename.hive.fallback.PlatformVersions;
import io.zerorename.hive.plan.PlanReader;
import io.zerorename.hive.plan.PlannedInsert;
import io.zerorename.hive.plan.PlannedOutput;
import io.zerorename.hive.plan.Statement;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.WeakHashMap;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hive.conf.HiveConf;
import org.apache.hadoop.hive.metastore.api.WMFullResourcePlan;
import org.apache.hadoop.hive.ql.exec.ExplainTask;
import org.apache.hadoop.hive.ql.exec.Operator;
import org.apache.hadoop.hive.ql.exec.Task;
import org.apache.hadoop.hive.ql.exec.TaskFactory;
import org.apache.hadoop.hive.ql.metadata.Hive;
import org.apache.hadoop.hive.ql.metadata.HiveException;
import org.apache.hadoop.hive.ql.parse.SemanticException;
import org.apache.hadoop.hive.ql.plan.ExplainWork;
import org.apache.hadoop.hive.ql.session.SessionState;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Examines the plan of one statement, or the plan that an EXPLAIN shows, and rewrites what writes
 * to each place on S3 where that is eligible. It sends no request to S3 and writes no file: Hive
 * authorizes a statement behind its analysis.
 */
record StatementRewrite(
    Statement statement, HiveConf conf, Hive hive, Optional<ExplainWork> explained) {
  private static final Logger LOG = LoggerFactory.getLogger(StatementRewrite.class);

  /** Keys of which a session was warned: Hive makes a hook per statement. */
  private static final Map<SessionState, Set<String>> WARNED =
      Collections.synchronizedMap(new WeakHashMap<>());

  /**
   * Changes the plan, or leaves it and says why.
   *
   * @throws SemanticException where it cannot be changed and the user insists
   */
  void run(List<Task<?>> rootTasks) throws SemanticException {
    Optional<PlanReader> plan = read(rootTasks);
    if (plan.isEmpty()) {
      return;
    }
    List<PlanRewrite> rewrites = new ArrayList<>();
    for (PlannedOutput output : plan.get().outputs()) {
      examine(output, plan.get()).ifPresent(rewrites::add);
    }
    Map<String, String> ofJobs =
        TaskTokens.jobProperties(
            rewrites.stream().flatMap(rewrite -> rewrite.written().stream()).toList(), conf);
    // From here on values are set that are known, and nothing can fail.
    rewrites.forEach(rewrite -> rewrite.apply(ofJobs));
    if (!rewrites.isEmpty()) {
      MergeChoice.require(
          plan.get().tasks(),
          plan.get().outputs().stream().map(plan.get()::name).collect(joining(", ")));
    }
    for (int i = 1; i < rewrites.size(); i++) {
      rewrites.get(i).follow(rewrites.get(i - 1));
    }
  }

  /** What an EXPLAIN shows and does not run; empty where the tasks do what the statement says. */
  static Optional<ExplainWork> explained(List<Task<?>> rootTasks) {
    return rootTasks.stream()
        .filter(ExplainTask.class::isInstance)
        .findFirst()
        .map(task -> ((ExplainTask) task).getWork());
  }

  /** None where the statement that is explained would do nothing. */
  private List<Task<?>> shown() {
    return Optional.<List<Task<?>>>ofNullable(explained.get().getRootTasks()).orElse(List.of());
  }

  /** Empty where it writes nothing to S3 that is to stay. */
  private Optional<PlanReader> read(List<Task<?>> rootTasks) throws SemanticException {
    try {
      PlanReader plan = new PlanReader(explained.isPresent() ? shown() : rootTasks, conf, hive);
      if (plan.outputs().isEmpty() || plan.onlyCountsRows()) {
        return Optional.empty();
      }
      warnOfUnknownKeys();
      return Optional.of(plan);
    } catch (Throwable e) {
      String target = "the statement's target";
      Fallback fallback = unexpected(e, target);
      report(fallback, target, "");
      if (explained.isEmpty() && FailInsteadOfFallback.failsAlways(statement, conf)) {
        throw new SemanticException(FailInsteadOfFallback.message(fallback, target, "", conf));
      }
      return Optional.empty();
    }
  }

  /** Once of each in a session, on its console, and in the log once per process. */
  private void warnOfUnknownKeys() {
    Set<String> warned =
        WARNED.computeIfAbsent(
            SessionState.get(), session -> Collections.synchronizedSet(new HashSet<>()));
    HiveKeys.declared()
        .warnOfUnknown(conf)
        .forEach(
            (name, message) -> {
              if (warned.add(name)) {
                SessionState.getConsole().printInfo("zero-rename: " + message);
              }
            });
  }

  /** The rewrite of what writes to one place; empty, and reported, where Hive keeps its path. */
  private Optional<PlanRewrite> examine(PlannedOutput output, PlanReader plan)
      throws SemanticException {
    String target = plan.name(output);
    Fallback fallback;
    try {
      PlanRewrite rewrite = rewrite(output, plan);
      if (explained.isEmpty()) {
        LOG.info("zero-rename: {} will be committed without renames", target);
      }
      return Optional.of(rewrite);
    } catch (Fallback e) {
      fallback = e;
    } catch (Throwable e) {
      fallback = unexpected(e, target);
    }
    boolean fails = FailInsteadOfFallback.fails(statement, output, fallback, conf);
    report(
        fallback,
        target,
        fails ? FailInsteadOfFallback.outlook(fallback, output.bucket(), conf) : "");
    if (explained.isEmpty() && fails) {
      throw new SemanticException(
          FailInsteadOfFallback.message(fallback, target, output.bucket(), conf));
    }
    return Optional.empty();
  }

  private PlanRewrite rewrite(PlannedOutput output, PlanReader plan) throws Exception {
    PlannedInsert insert = new Eligibility(statement, plan, output, conf, hive).check();
    PlatformVersions.require();
    Path target = insert.target().path();
    try (S3AObjectStores stores = new S3AObjectStores(conf)) {
      // A client that cannot be made is a reason to fall back. It sends nothing.
      stores.forPath(target);
      stores.forPath(output.destination());
      new CommitLogs(stores, conf).refuseAmongFiles(target);
    } catch (IOException e) {
      throw new Fallback(FallbackReason.BAD_CONFIGURATION, e.getMessage());
    }
    Path workDirectory = WorkDirectory.jobsOf(HiveWorkDirectory.of(conf));
    String jobId = UUID.randomUUID().toString();
    return new PlanRewrite(
        insert,
        jobId,
        staging(jobId, workDirectory),
        workDirectory,
        output.isDynamic() && !output.overwrites() && newPartitionsMatter());
  }

  /**
   * Whether it matters how many of the partitions of a dynamic INSERT INTO are new. A file sink
   * checks for each on S3, only to count the new ones, and only a trigger of a resource plan acts
   * upon the count. One request to the metastore.
   */
  private boolean newPartitionsMatter() {
    try {
      WMFullResourcePlan plan = hive.getActiveResourcePlan();
      return plan != null
          && plan.getTriggers() != null
          && plan.getTriggers().stream()
              .anyMatch(
                  it ->
                      it.getTriggerExpression()
                          .contains(Operator.HIVE_COUNTER_CREATED_DYNAMIC_PARTITIONS));
    } catch (HiveException e) {
      LOG.warn(
          "ZR-5304: Cannot ask for the active resource plan; new partitions will be counted", e);
      return true;
    }
  }

  /**
   * Where Hive's tasks put and rename manifests: the session's scratch directory, or, where that is
   * on S3 and each rename a copy, the job's own directory.
   */
  private Path staging(String jobId, Path workDirectory) throws IOException {
    Path session = SessionState.getHDFSSessionPath(conf);
    Path staging =
        S3AFileSystems.holds(session, conf)
            ? new Path(new Path(workDirectory, jobId), "staging")
            : new Path(session, "zerorename-" + jobId);
    return staging.getFileSystem(conf).makeQualified(staging);
  }

  private static Fallback unexpected(Throwable e, String target) {
    Optional<Fallback> lacking = PlatformVersions.lacking(e);
    LOG.warn(
        "ZR-5106: Unexpected problem while examining the plan of {}; it stays as it is", target, e);
    return lacking.orElseGet(() -> new Fallback(FallbackReason.INTERNAL, e.toString()));
  }

  private void report(Fallback fallback, String target, String outlook) {
    if (explained.isPresent()) {
      // A stage more, which would not be run.
      FallbackNote note = new FallbackNote();
      note.setId("Stage-" + TaskFactory.getAndIncrementId());
      note.setWork(new FallbackNote.Work(fallback.reason().name(), fallback.sentence() + outlook));
      List<Task<?>> tasks = new ArrayList<>(shown());
      tasks.add(note);
      explained.get().setRootTasks(tasks);
    } else {
      CommitterMetrics.addFallback(fallback.reason().name());
    }
    // Hive's console helper writes the line to the log as well.
    SessionState.getConsole().printInfo(fallback.message(target));
  }
}
