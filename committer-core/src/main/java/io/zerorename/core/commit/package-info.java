/**
 * Job commit and job abort. Begin with {@link io.zerorename.core.commit.JobCommit}, which has the
 * stages in their order: {@code NewFiles} and {@code ListReplaced} plan the job, {@code
 * FindDecision} finds out what decides it, and {@code EntryExecutor} executes the entry, where
 * {@code UploadCompletion} completes uploads. {@code EngineStatement} decides what an engine has
 * removed itself, and {@code JobAbort} aborts a job.
 */
package io.zerorename.core.commit;
