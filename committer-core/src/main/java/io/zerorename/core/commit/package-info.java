/**
 * Job commit: its stages, one class each, and job abort. Begin with {@link
 * io.zerorename.core.commit.JobCommit}: it plans ({@code PlanStage}), decides by writing an entry
 * of the log, and executes the entry ({@code ExecuteEntry}).
 */
package io.zerorename.core.commit;
