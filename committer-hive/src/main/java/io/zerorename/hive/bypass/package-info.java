/**
 * Statements that change files of a table on S3 without the committer: TRUNCATE, DROP, LOAD, MSCK,
 * a rename, an INSERT that falls back. {@code StatementKind} lists them. Before one that keeps
 * rows, the commits that are open in the table's log are resumed. For one that removes files, the
 * log is read before, and an entry is written after, where one is needed. Begin with {@code
 * BypassingStatement}.
 */
package io.zerorename.hive.bypass;
