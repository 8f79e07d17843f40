/**
 * What a job commit is going to do, written down: the job, its plan, and the form of both. Uses the
 * files of manifests and uploads, and no stage of the commit. Begin with {@link
 * io.zerorename.core.log.CommitPlan}.
 */
package io.zerorename.core.log;
