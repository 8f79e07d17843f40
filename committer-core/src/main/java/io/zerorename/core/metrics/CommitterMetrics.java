package io.zerorename.core.metrics;

import java.lang.management.ManagementFactory;
import java.util.Locale;
import javax.management.JMException;
import javax.management.ObjectName;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the committer has done in this process: an MBean, {@value #NAME}, which is there from the
 * first request, commit or fallback on.
 *
 * <p>Where a process has loaded this class several times, each class loader counts for itself, and
 * the first one's counts are shown. Nothing of this fails a job.
 */
public final class CommitterMetrics {
  /** Name of the MBean. */
  public static final String NAME = "Hadoop:service=ZeroRename,name=ZeroRename";

  private static final Logger LOG = LoggerFactory.getLogger(CommitterMetrics.class);
  private static final Counters COUNTERS = new Counters();

  static {
    try {
      ManagementFactory.getPlatformMBeanServer().registerMBean(COUNTERS, new ObjectName(NAME));
    } catch (JMException | RuntimeException | LinkageError e) {
      LOG.info(
          "JMX does not show what is counted here. If another class loader has loaded the"
              + " committer's jar too, put it into the directory of HIVE_AUX_JARS_PATH: then it is"
              + " loaded once, and counts and limits are those of the whole process. JMX says: {}",
          e.toString());
    }
  }

  private CommitterMetrics() {}

  public static void add(Metric metric, long amount) {
    COUNTERS.add(metric.attribute(), amount);
  }

  /**
   * Counts a statement that keeps Hive's own path.
   *
   * @param reason in capitals, with underscores
   */
  public static void addFallback(String reason) {
    add(Metric.FALLBACKS, 1);
    StringBuilder attribute = new StringBuilder(Metric.FALLBACKS.attribute());
    for (String word : reason.toLowerCase(Locale.ROOT).split("_", -1)) {
      attribute.append(word.substring(0, 1).toUpperCase(Locale.ROOT)).append(word.substring(1));
    }
    COUNTERS.add(attribute.toString(), 1);
  }
}
