/**
 * Statements that Hive executes by itself and that change files of a table on S3. Before one that
 * keeps rows (MSCK, a rename, LOAD), the commits that are open in the table's log are resumed. For
 * one that removes files (TRUNCATE, DROP), the log is read before, and a CLEAR entry is written
 * after, where one is needed. Begin with {@code StatementOrder}.
 */
package io.zerorename.hive.order;
