package io.zerorename.core.commit;

import io.zerorename.core.store.PutDeadlines;
import java.time.Duration;

/**
 * The window of an entry: the time in which its executor may PUT small files. The store refuses
 * each of these requests afterwards, because it is signed for the window's end.
 */
final class WriteLease {
  /** Short, because after a crash an overwrite waits for its end. */
  static final Duration LENGTH = PutDeadlines.AHEAD;

  /** How long after its deadline a request is surely over, one that S3 began to take before it. */
  static final Duration SETTLED = PutDeadlines.ACCURACY.plusSeconds(60);

  private WriteLease() {}
}
