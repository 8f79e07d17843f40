/**
 * Threads: workers that act on many items at once, a store that repeats requests, work that no
 * interrupt stops, pauses. Begin with {@link io.zerorename.core.parallel.Workers} and {@link
 * io.zerorename.core.parallel.RetryingStore}.
 */
package io.zerorename.core.parallel;
