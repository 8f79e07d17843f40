package io.zerorename.benchmark;

import com.sun.management.GarbageCollectorMXBean;
import com.sun.management.GcInfo;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.util.List;

/** The most memory that this JVM has needed since the start of the watch, in bytes. */
final class MemoryPeaks {
  private static final long SAMPLE_MILLIS = 5;

  private final List<String> heapPools =
      ManagementFactory.getMemoryPoolMXBeans().stream()
          .filter(pool -> pool.getType() == MemoryType.HEAP)
          .map(MemoryPoolMXBean::getName)
          .toList();

  /** Of the heap right after a collection: what was needed, and no garbage of the young. */
  volatile long live;

  /** Of buffers outside of the heap. */
  volatile long direct;

  private MemoryPeaks() {}

  /** Watches to the end of the JVM. */
  static MemoryPeaks watch() {
    MemoryPeaks peaks = new MemoryPeaks();
    Thread sampler = new Thread(peaks::sample, "memory-peaks");
    sampler.setDaemon(true);
    sampler.start();
    return peaks;
  }

  private void sample() {
    while (true) {
      for (GarbageCollectorMXBean collector :
          ManagementFactory.getPlatformMXBeans(GarbageCollectorMXBean.class)) {
        GcInfo last = collector.getLastGcInfo();
        if (last != null) {
          live = Math.max(live, afterwards(last));
        }
      }
      direct =
          Math.max(
              direct,
              ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                  .filter(pool -> pool.getName().equals("direct"))
                  .mapToLong(BufferPoolMXBean::getMemoryUsed)
                  .sum());
      try {
        Thread.sleep(SAMPLE_MILLIS);
      } catch (InterruptedException e) {
        return;
      }
    }
  }

  private long afterwards(GcInfo collection) {
    return heapPools.stream()
        .mapToLong(pool -> collection.getMemoryUsageAfterGc().get(pool).getUsed())
        .sum();
  }
}
