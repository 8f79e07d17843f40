/**
 * What HiveServer2 runs after the tasks: {@code CommitTask}, the tasks that stand for Hive's
 * MoveTask and StatsTask, the end of the query, and the recovery of a table's interrupted commits.
 * Begin with {@code CommitTask} and {@code InsertCommit}.
 */
package io.zerorename.hive.commit;
