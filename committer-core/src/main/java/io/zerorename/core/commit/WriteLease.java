package io.zerorename.core.commit;

import io.zerorename.core.store.PutDeadlines;
import java.time.Duration;

/**
 * The write lease of an entry: the time in which its executor may PUT small files. The end of the
 * lease is the deadline of each of these requests: the store refuses them afterwards, because they
 * are signed for it.
 */
final class WriteLease {
  /** Short, because after a crash an overwrite waits for its end. */
  static final Duration LENGTH = PutDeadlines.AHEAD;

  /** How long after the lease a request of it can still take effect. */
  static final Duration SETTLED = PutDeadlines.SETTLED;

  private WriteLease() {}
}
