package io.zerorename.benchmark;

import com.sun.management.GarbageCollectionNotificationInfo;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryType;
import java.lang.management.MemoryUsage;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import javax.management.NotificationEmitter;
import javax.management.openmbean.CompositeData;

/** The most memory that this JVM has needed since the start of the watch, in bytes. */
final class MemoryPeaks {
  private static final long SAMPLE_MILLIS = 5;

  private final AtomicLong live = new AtomicLong();
  private final AtomicLong heap = new AtomicLong();
  private final AtomicLong direct = new AtomicLong();

  private MemoryPeaks() {}

  /** Watches to the end of the JVM. */
  static MemoryPeaks watch() {
    MemoryPeaks peaks = new MemoryPeaks();
    Set<String> heapPools =
        ManagementFactory.getMemoryPoolMXBeans().stream()
            .filter(pool -> pool.getType() == MemoryType.HEAP)
            .map(java.lang.management.MemoryPoolMXBean::getName)
            .collect(Collectors.toSet());
    for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
      ((NotificationEmitter) collector)
          .addNotificationListener(
              (notification, handback) -> {
                Map<String, MemoryUsage> after =
                    GarbageCollectionNotificationInfo.from(
                            (CompositeData) notification.getUserData())
                        .getGcInfo()
                        .getMemoryUsageAfterGc();
                raise(
                    peaks.live,
                    heapPools.stream().mapToLong(pool -> after.get(pool).getUsed()).sum());
              },
              notification ->
                  notification
                      .getType()
                      .equals(GarbageCollectionNotificationInfo.GARBAGE_COLLECTION_NOTIFICATION),
              null);
    }
    Thread sampler = new Thread(peaks::sample, "memory-peaks");
    sampler.setDaemon(true);
    sampler.start();
    return peaks;
  }

  /** Of the heap right after a collection: what was needed, and no garbage of the young. */
  long live() {
    return live.get();
  }

  /** Of the heap, garbage included. */
  long heap() {
    return heap.get();
  }

  /** Of buffers outside of the heap. */
  long direct() {
    return direct.get();
  }

  private void sample() {
    while (true) {
      raise(heap, ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
      raise(
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

  private static void raise(AtomicLong peak, long value) {
    peak.accumulateAndGet(value, Math::max);
  }
}
