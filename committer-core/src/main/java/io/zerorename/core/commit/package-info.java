/**
 * Job commit and job abort. Begin with {@link io.zerorename.core.commit.CommitStage}, which names
 * what runs each stage, and {@link io.zerorename.core.commit.JobCommit}: {@code Decision} plans the
 * job and decides it; {@code ExecuteEntry} executes its entry, where {@code UploadCompletion}
 * completes uploads. {@code EngineOverwrite} decides what an engine has removed itself, and {@code
 * JobAbort} aborts a job.
 */
package io.zerorename.core.commit;
