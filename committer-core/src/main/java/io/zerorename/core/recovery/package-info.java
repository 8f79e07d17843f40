/**
 * What is done about commits that were interrupted. {@link io.zerorename.core.recovery.Recovery}
 * finds their entries, {@code RecoverEntry} executes them, and {@code JobEngine} is what an engine
 * does after the files.
 */
package io.zerorename.core.recovery;
