package io.zerorename.core.commit;

/** Whether what was planned a moment ago can be relied on. */
@FunctionalInterface
interface Freshness {
  boolean holds();
}
