/**
 * Threads: workers that act on many items at once, stores that get no more requests than they take,
 * work that no interrupt stops, pauses. Begin with {@link io.zerorename.core.parallel.Workers} and
 * {@link io.zerorename.core.parallel.ThrottledStores}.
 */
package io.zerorename.core.parallel;
