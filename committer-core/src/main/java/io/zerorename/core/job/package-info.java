/**
 * A running job: its work directory on the cluster file system, who writes, the records of its
 * attempts, the abort of uploads that it does not commit, and where the log of its destination is.
 * Does not use {@code commit}. Begin with {@link io.zerorename.core.job.JobDirectory}.
 */
package io.zerorename.core.job;
