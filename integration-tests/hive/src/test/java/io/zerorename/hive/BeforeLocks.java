package io.zerorename.hive;

import io.zerorename.hive.commit.CommitTask;
import io.zerorename.hive.plan.PlanTasks;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.hadoop.hive.ql.HiveDriverRunHook;
import org.apache.hadoop.hive.ql.HiveDriverRunHookContext;
import org.apache.hadoop.hive.ql.exec.Task;
import org.apache.hadoop.hive.ql.parse.AbstractSemanticAnalyzerHook;
import org.apache.hadoop.hive.ql.parse.HiveSemanticAnalyzerHookContext;

/**
 * Lets another session's statement come between a statement's compilation and its locks, so that
 * Hive compiles it again, and tells which of our jobs each compilation has planned.
 */
public final class BeforeLocks extends AbstractSemanticAnalyzerHook implements HiveDriverRunHook {
  private static final Queue<Callable<?>> ACTIONS = new ConcurrentLinkedQueue<>();
  private static final List<String> JOBS = new CopyOnWriteArrayList<>();

  /**
   * Runs a statement, and before its locks another.
   *
   * @param othersFirst whether the other's transaction begins before the statement's does
   */
  static void run(
      FurtherSession session,
      FurtherSession other,
      boolean othersFirst,
      String others,
      String statement)
      throws Exception {
    ACTIONS.clear();
    JOBS.clear();
    for (FurtherSession each : List.of(session, other)) {
      each.hive().set("hive.exec.driver.run.hooks", BeforeLocks.class.getName());
      each.hive()
          .set(
              "hive.semantic.analyzer.hook",
              ZeroRenameHook.class.getName() + "," + BeforeLocks.class.getName());
    }
    CountDownLatch compiled = new CountDownLatch(1);
    AtomicReference<Future<?>> running = new AtomicReference<>();
    if (othersFirst) {
      CountDownLatch begun = new CountDownLatch(1);
      ACTIONS.add(
          () -> {
            begun.countDown();
            compiled.await();
            return null;
          });
      running.set(other.begin(others));
      begun.await();
    }
    ACTIONS.add(
        () -> {
          compiled.countDown();
          if (!othersFirst) {
            running.set(other.begin(others));
          }
          return running.get().get();
        });
    session.execute(statement);
  }

  /** The jobs that the statement's compilations planned, in their order. */
  static List<String> compiledJobs() {
    return List.copyOf(JOBS);
  }

  @Override
  public void preDriverRun(HiveDriverRunHookContext context) throws Exception {
    Callable<?> action = ACTIONS.poll();
    if (action != null) {
      action.call();
    }
  }

  @Override
  public void postDriverRun(HiveDriverRunHookContext context) {}

  @Override
  public void postAnalyze(HiveSemanticAnalyzerHookContext context, List<Task<?>> rootTasks) {
    PlanTasks.all(rootTasks).stream()
        .filter(CommitTask.class::isInstance)
        .map(task -> ((CommitTask) task).getWork().output().jobId())
        .forEach(JOBS::add);
  }
}
