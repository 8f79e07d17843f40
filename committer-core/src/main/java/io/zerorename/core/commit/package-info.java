/**
 * Job commit and job abort. Begin with {@link io.zerorename.core.commit.JobCommit}: it plans
 * ({@code PlanStage}), decides by an entry of the log ({@code CommitLog}), and executes the entry
 * ({@code ExecuteEntry}, with {@code UploadCompletion} and {@code SmallFileWrites} for each file).
 * {@code TakeOver} is the part of a recovery that a repeated job commit shares.
 */
package io.zerorename.core.commit;
