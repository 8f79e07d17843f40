package io.zerorename.core.metrics;

import java.lang.management.ManagementFactory;
import javax.management.Attribute;
import javax.management.JMException;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.apache.hadoop.metrics2.MetricsCollector;
import org.apache.hadoop.metrics2.MetricsInfo;
import org.apache.hadoop.metrics2.MetricsRecordBuilder;
import org.apache.hadoop.metrics2.MetricsSource;
import org.apache.hadoop.metrics2.lib.Interns;

/** Shows the counters of the process to Hadoop's metrics system. */
final class CounterSource implements MetricsSource {
  // Inlined by the compiler: this may outlive the class loader of its other classes.
  private static final String NAME = CommitterMetrics.NAME;
  private static final String SOURCE = CommitterMetrics.SOURCE;
  private static final String CONTEXT = CommitterMetrics.CONTEXT;
  private static final String TYPE = SharedCounters.TYPE;
  private static final String GAUGE = SharedCounters.GAUGE;

  @Override
  public void getMetrics(MetricsCollector collector, boolean all) {
    try {
      MBeanServer server = ManagementFactory.getPlatformMBeanServer();
      ObjectName name = new ObjectName(NAME);
      if (!server.isRegistered(name)) {
        return;
      }
      MetricsRecordBuilder record = collector.addRecord(SOURCE).setContext(CONTEXT);
      for (MBeanAttributeInfo info : server.getMBeanInfo(name).getAttributes()) {
        Attribute attribute =
            (Attribute) server.getAttributes(name, new String[] {info.getName()}).get(0);
        MetricsInfo shown = Interns.info(info.getName(), info.getDescription());
        if (GAUGE.equals(info.getDescriptor().getFieldValue(TYPE))) {
          record.addGauge(shown, (Long) attribute.getValue());
        } else {
          record.addCounter(shown, (Long) attribute.getValue());
        }
      }
    } catch (JMException e) {
      throw new IllegalStateException("Cannot read " + NAME, e);
    }
  }
}
