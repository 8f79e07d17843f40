/**
 * Spark's commit protocol. Begin with {@link io.zerorename.spark.ZeroRenameCommitProtocol}, through
 * which Spark calls; the driver's part is {@code JobWrite}, a task's is {@code TaskWrite}. {@code
 * HiveInserts} leads INSERTs into tables in Hive's formats to it. It uses the pending file system
 * and the {@code _SUCCESS} of {@code magic}, and core's commit.
 */
package io.zerorename.spark;
