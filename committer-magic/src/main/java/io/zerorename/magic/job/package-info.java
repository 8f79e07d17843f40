/**
 * The life of a MapReduce or Tez output, which the committers of both of Hadoop's APIs share. Begin
 * with {@link io.zerorename.magic.job.MagicCommitter}. Not for users.
 */
package io.zerorename.magic.job;
