/**
 * What is done about commits that were interrupted. {@link io.zerorename.core.recovery.Recovery}
 * finds their entries, {@code RecoverEntry} executes them, and {@code JobEngine} is what an engine
 * does after the files. {@link io.zerorename.core.recovery.OrphanSweep} aborts uploads of jobs that
 * will never commit.
 */
package io.zerorename.core.recovery;
