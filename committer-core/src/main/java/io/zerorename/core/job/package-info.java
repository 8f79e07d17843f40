/**
 * A running job: its work directory on the cluster file system, the journal of its uploads, the
 * records of its attempts, and where the log of its destination is. Uses the log; knows no stage of
 * the commit. Begin with {@link io.zerorename.core.job.JobDirectory}.
 */
package io.zerorename.core.job;
