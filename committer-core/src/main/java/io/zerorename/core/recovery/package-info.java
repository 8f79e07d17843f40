/**
 * What is done about commits that were interrupted: {@link io.zerorename.core.recovery.Recovery}
 * resumes them, {@link io.zerorename.core.recovery.OrphanSweep} aborts uploads of jobs that will
 * never commit, and the rest answers what operators ask. Uses the stages of {@code commit}.
 */
package io.zerorename.core.recovery;
