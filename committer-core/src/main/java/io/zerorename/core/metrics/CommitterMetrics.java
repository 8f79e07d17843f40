package io.zerorename.core.metrics;

import java.lang.management.ManagementFactory;
import java.util.Locale;
import javax.management.InstanceAlreadyExistsException;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the committer has done in this process: an MBean, {@value #NAME}, which is there from the
 * first commit or fallback on, and a source of Hadoop's metrics system, {@value #SOURCE}, in the
 * context {@value #CONTEXT}, for processes that have one.
 *
 * <p>A process may have loaded this class several times (Hive's sessions have class loaders of
 * their own) and has one MBean all the same: the first loader's, to which the others add.
 *
 * <p>Nothing of this fails a job: where the MBean or the metrics system refuses, nothing is
 * counted.
 */
public final class CommitterMetrics {
  /** Name of the MBean. */
  public static final String NAME = "Hadoop:service=ZeroRename,name=ZeroRename";

  /** Name of the source in Hadoop's metrics system. */
  public static final String SOURCE = "ZeroRename";

  /** The context that filters of Hadoop's metrics system see. */
  public static final String CONTEXT = "zerorename";

  private static final Logger LOG = LoggerFactory.getLogger(CommitterMetrics.class);

  private CommitterMetrics() {}

  public static void add(Metric metric, long amount) {
    if (amount != 0) {
      add(metric.attribute(), metric.meaning(), amount);
    }
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
    add(attribute.toString(), Metric.FALLBACKS.meaning() + " because of " + reason, 1);
  }

  private static void add(String attribute, String meaning, long amount) {
    try {
      server()
          .invoke(
              registered(), SharedCounters.ADD, new Object[] {attribute, meaning, amount}, null);
    } catch (JMException | RuntimeException | LinkageError e) {
      LOG.debug("{} could not be counted", attribute, e);
    }
  }

  private static MBeanServer server() {
    return ManagementFactory.getPlatformMBeanServer();
  }

  private static ObjectName registered() throws JMException {
    ObjectName name = new ObjectName(NAME);
    if (!server().isRegistered(name)) {
      try {
        server().registerMBean(new SharedCounters(), name);
      } catch (InstanceAlreadyExistsException e) {
        LOG.debug("Another thread or class loader has registered {}", name);
      }
    }
    return name;
  }

  /**
   * Makes the metrics system see what is counted. To be called now and then, because one that was
   * shut down and started again has forgotten its sources.
   */
  public static void publish() {
    try {
      server().invoke(registered(), SharedCounters.PUBLISH, new Object[0], null);
    } catch (JMException | RuntimeException | LinkageError e) {
      LOG.debug("Hadoop's metrics system does not take {}", SOURCE, e);
    }
  }
}
