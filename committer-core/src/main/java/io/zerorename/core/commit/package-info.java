/**
 * Job commit and job abort. Begin with {@link io.zerorename.core.commit.CommitStage} and {@link
 * io.zerorename.core.commit.JobCommit}: {@code Decision} plans the job ({@code PlanStage}) and
 * writes its entry; {@code ExecuteEntry} executes it, with {@code CompleteStage}, {@code
 * FinalizeFollowed} and {@code DeleteReplaced}. {@code TakeOver} is the part of a recovery that a
 * repeated job commit shares.
 */
package io.zerorename.core.commit;
