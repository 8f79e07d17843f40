/**
 * Checkpoints of Spark on S3 without renames: what both bindings to Spark's {@code
 * CheckpointFileManager} do. Knows nothing of Spark. Begin reading at {@link
 * io.zerorename.spark.checkpoint.CheckpointFiles}.
 */
package io.zerorename.spark.checkpoint;
