/**
 * Wires the committer into Hive by its public hooks.
 *
 * <p>{@link io.zerorename.hive.ZeroRenameHook} sees each finished plan. {@code StatementRewrite}
 * asks {@code plan} whether the statement is an INSERT that the committer can commit. If so, {@code
 * PlanRewrite} lets the tasks write pending uploads to the files' final keys ({@code write}) and
 * puts a {@code CommitTask} ({@code commit}) between them and Hive's MoveTask. Otherwise the
 * statement falls back to Hive's own path; where it changes files of a table on S3, {@code order}
 * keeps the order of the table's log.
 */
package io.zerorename.hive;
