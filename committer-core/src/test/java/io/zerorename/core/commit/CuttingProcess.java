package io.zerorename.core.commit;

import io.zerorename.core.config.CoreKeys;
import io.zerorename.core.log.CommitLog;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;

/**
 * Deletes the low end of the log in the midst of what others do, as the first commit of a day does:
 * some calls of others apart, each time later than the time before.
 */
final class CuttingProcess {
  private static final Duration KEPT = Duration.ofDays(CoreKeys.FEWEST_LOG_DAYS);

  /** Behind which windows are over, nobody decides who has listed the log, entries are old. */
  private static final List<Duration> JUMPS =
      List.of(Duration.ofMinutes(20), Duration.ofHours(25), KEPT.plusDays(1), KEPT.plusDays(1));

  private static final int LONGEST_IDLE = 150;

  private final SimulatedCluster.View view;
  private final Random random;
  private final Consumer<Duration> jump;

  /**
   * @param name decides what it does
   * @param jump lets time pass for all
   */
  CuttingProcess(SimulatedCluster.View view, String name, Consumer<Duration> jump) {
    this.view = view;
    this.random = new Random(name.hashCode());
    this.jump = jump;
  }

  /**
   * @return how many entries it has deleted
   */
  int run() throws IOException {
    CommitLog log = view.log();
    int deleted = 0;
    for (int cuts = 1 + random.nextInt(3); cuts > 0; cuts--) {
      view.idle(1 + random.nextInt(LONGEST_IDLE));
      jump.accept(JUMPS.get(random.nextInt(JUMPS.size())));
      deleted += log.cut(CoreKeys.FEWEST_LOG_DAYS);
    }
    return deleted;
  }
}
