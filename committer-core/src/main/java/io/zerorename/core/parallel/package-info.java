/**
 * Threads: workers that act on many items at once, work that no interrupt stops, pauses. Uses the
 * store seam for its failures only. Begin with {@link io.zerorename.core.parallel.Workers}.
 */
package io.zerorename.core.parallel;
