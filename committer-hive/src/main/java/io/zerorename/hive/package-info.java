/**
 * Wires the committer into Hive by its public hooks.
 *
 * <p>{@link io.zerorename.hive.ZeroRenameHook} sees each finished plan. {@code StatementRewrite}
 * reads it ({@code plan}) and decides whether its INSERT falls back ({@code fallback}). If not,
 * {@code PlanRewrite} lets the tasks write pending uploads to the files' final keys ({@code write})
 * and puts a {@code CommitTask} ({@code commit}) between them and what updates the metastore. A
 * statement that changes files of a table on S3 without the committer passes through {@code
 * bypass}.
 */
package io.zerorename.hive;
