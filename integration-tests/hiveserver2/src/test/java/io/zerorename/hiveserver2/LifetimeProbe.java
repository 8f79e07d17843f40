package io.zerorename.hiveserver2;

import org.apache.hadoop.hive.ql.hooks.QueryLifeTimeHook;
import org.apache.hadoop.hive.ql.hooks.QueryLifeTimeHookContext;

/**
 * Somebody else's hook, behind the committer's in Hive's list: says on standard output which call
 * of a statement's life Hive has come to, after the committer's has returned.
 */
public final class LifetimeProbe implements QueryLifeTimeHook {
  /** For Hive. */
  public LifetimeProbe() {}

  /** The line of one call. */
  static String line(String call, boolean failed, String sql) {
    return "hook " + call + (failed ? " failed: " : ": ") + sql;
  }

  @Override
  public void beforeCompile(QueryLifeTimeHookContext context) {
    System.out.println(line("beforeCompile", false, context.getCommand()));
  }

  @Override
  public void afterCompile(QueryLifeTimeHookContext context, boolean failed) {
    System.out.println(line("afterCompile", failed, context.getCommand()));
  }

  @Override
  public void beforeExecution(QueryLifeTimeHookContext context) {
    System.out.println(line("beforeExecution", false, context.getCommand()));
  }

  @Override
  public void afterExecution(QueryLifeTimeHookContext context, boolean failed) {
    System.out.println(line("afterExecution", failed, context.getCommand()));
  }
}
