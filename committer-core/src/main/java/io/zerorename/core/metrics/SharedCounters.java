package io.zerorename.core.metrics;

import io.zerorename.core.parallel.ProcessShare;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;
import javax.management.Attribute;
import javax.management.AttributeList;
import javax.management.AttributeNotFoundException;
import javax.management.DynamicMBean;
import javax.management.JMException;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanInfo;
import javax.management.MBeanServer;
import javax.management.MalformedObjectNameException;
import javax.management.ObjectName;
import javax.management.ReflectionException;
import org.apache.hadoop.metrics2.MetricsCollector;
import org.apache.hadoop.metrics2.MetricsInfo;
import org.apache.hadoop.metrics2.MetricsRecordBuilder;
import org.apache.hadoop.metrics2.MetricsSource;
import org.apache.hadoop.metrics2.MetricsSystem;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;
import org.apache.hadoop.metrics2.lib.Interns;

/**
 * The counters of a process, to which every class loader adds through JMX, and what it has in use
 * now; also as a source of Hadoop's metrics system. It may outlive the class loader that has made
 * it, so it uses no other class of that loader after its construction.
 */
final class SharedCounters implements DynamicMBean, MetricsSource {
  /** The operation that counts: attribute, meaning, amount. No console shows it. */
  static final String ADD = "add";

  /** The operation that makes Hadoop's metrics system see this. */
  static final String PUBLISH = "publish";

  // Inlined by the compiler.
  private static final String SOURCE = CommitterMetrics.SOURCE;
  private static final String CONTEXT = CommitterMetrics.CONTEXT;

  /** By attribute, the MBeans that know what is in use. */
  private final NavigableMap<String, List<ObjectName>> gauges = new TreeMap<>();

  private final NavigableMap<String, LongAdder> counters = new ConcurrentSkipListMap<>();
  private final Map<String, String> meanings = new ConcurrentSkipListMap<>();

  SharedCounters() throws MalformedObjectNameException {
    for (Metric metric : Metric.values()) {
      meanings.put(metric.attribute(), metric.meaning());
      if (metric.shares().isEmpty()) {
        counters.put(metric.attribute(), new LongAdder());
      } else {
        List<ObjectName> shares = new ArrayList<>();
        for (String share : metric.shares()) {
          shares.add(ProcessShare.mbean(share));
        }
        gauges.put(metric.attribute(), shares);
      }
    }
  }

  @Override
  public Object invoke(String operation, Object[] arguments, String[] signature)
      throws ReflectionException {
    switch (operation) {
      case ADD -> {
        String attribute = (String) arguments[0];
        meanings.putIfAbsent(attribute, (String) arguments[1]);
        counters.computeIfAbsent(attribute, name -> new LongAdder()).add((Long) arguments[2]);
      }
      case PUBLISH -> publish();
      default -> throw new ReflectionException(new NoSuchMethodException(operation));
    }
    return null;
  }

  private synchronized void publish() {
    MetricsSystem system = DefaultMetricsSystem.instance();
    if (system.getSource(SOURCE) == null) {
      system.register(SOURCE, "The zero-rename committer", this);
    }
  }

  @Override
  public void getMetrics(MetricsCollector collector, boolean all) {
    MetricsRecordBuilder record = collector.addRecord(SOURCE).setContext(CONTEXT);
    gauges.keySet().forEach(name -> record.addGauge(shown(name), value(name)));
    counters.keySet().forEach(name -> record.addCounter(shown(name), value(name)));
  }

  private MetricsInfo shown(String name) {
    return Interns.info(name, meanings.getOrDefault(name, name));
  }

  @Override
  public Object getAttribute(String attribute) throws AttributeNotFoundException {
    Long value = value(attribute);
    if (value == null) {
      throw new AttributeNotFoundException(attribute);
    }
    return value;
  }

  /** Null where there is no such attribute. */
  private Long value(String attribute) {
    List<ObjectName> shares = gauges.get(attribute);
    if (shares != null) {
      long sum = 0;
      for (ObjectName share : shares) {
        sum += inUse(share);
      }
      return sum;
    }
    LongAdder counter = counters.get(attribute);
    return counter == null ? null : counter.sum();
  }

  private static long inUse(ObjectName share) {
    MBeanServer server = ManagementFactory.getPlatformMBeanServer();
    if (!server.isRegistered(share)) {
      return 0;
    }
    try {
      Map<?, ?> taken = (Map<?, ?>) server.invoke(share, "get", new Object[0], new String[0]);
      synchronized (taken) {
        return taken.values().stream().mapToLong(amount -> (Long) amount).sum();
      }
    } catch (JMException e) {
      throw new IllegalStateException("Cannot read " + share, e);
    }
  }

  @Override
  public AttributeList getAttributes(String[] names) {
    AttributeList list = new AttributeList();
    for (String name : names) {
      Long value = value(name);
      if (value != null) {
        list.add(new Attribute(name, value));
      }
    }
    return list;
  }

  @Override
  public void setAttribute(Attribute attribute) throws AttributeNotFoundException {
    throw new AttributeNotFoundException(attribute.getName() + " can only be read");
  }

  @Override
  public AttributeList setAttributes(AttributeList attributes) {
    return new AttributeList();
  }

  @Override
  public MBeanInfo getMBeanInfo() {
    MBeanAttributeInfo[] attributes =
        Stream.concat(counters.keySet().stream(), gauges.keySet().stream())
            .map(
                name ->
                    new MBeanAttributeInfo(
                        name, "long", meanings.getOrDefault(name, name), true, false, false))
            .toArray(MBeanAttributeInfo[]::new);
    return new MBeanInfo(
        SharedCounters.class.getName(),
        "The zero-rename committer in this process",
        attributes,
        null,
        null,
        null);
  }
}
