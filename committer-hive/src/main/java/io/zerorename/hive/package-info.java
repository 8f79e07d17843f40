/**
 * Wires the committer into Hive by its public hooks.
 *
 * <p>{@link io.zerorename.hive.ZeroRenameHook} sees each finished plan. Where the statement is an
 * INSERT that every rule of {@code Eligibility} accepts, {@code PlanRewrite} lets the tasks write
 * pending uploads to the files' final keys and puts a {@code CommitTask} between them and Hive's
 * MoveTask. Otherwise the plan stays as it is.
 */
package io.zerorename.hive;
