/**
 * Wires the committer into Hive by its public hooks.
 *
 * <p>{@link io.zerorename.hive.ZeroRenameHook} sees each finished plan. Where the statement is an
 * INSERT that every rule of {@code plan} accepts, {@code PlanRewrite} lets the tasks write pending
 * uploads to the files' final keys ({@code write}) and puts a {@code CommitTask} ({@code commit})
 * between them and Hive's MoveTask. Otherwise the plan stays as it is, and {@code order} keeps the
 * order of the log where the statement removes or replaces files.
 */
package io.zerorename.hive;
