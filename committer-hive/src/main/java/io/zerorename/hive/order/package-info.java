/**
 * Statements that the committer does not commit, but that remove or replace files of a table on S3:
 * before them, entries of the log that are open there are resumed; after them, a CLEAR entry says
 * what they removed. Begin with {@code StatementOrder}.
 */
package io.zerorename.hive.order;
