package io.zerorename.core.commit;

import java.io.IOException;

/** Whether what was planned a moment ago can be relied on. */
@FunctionalInterface
interface Freshness {
  boolean holds() throws IOException;
}
