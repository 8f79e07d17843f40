package io.zerorename.core.metrics;

import java.util.Map;
import java.util.NavigableMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import javax.management.Attribute;
import javax.management.AttributeList;
import javax.management.AttributeNotFoundException;
import javax.management.DynamicMBean;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanInfo;
import javax.management.ReflectionException;
import org.apache.hadoop.metrics2.MetricsCollector;
import org.apache.hadoop.metrics2.MetricsInfo;
import org.apache.hadoop.metrics2.MetricsRecordBuilder;
import org.apache.hadoop.metrics2.MetricsSource;
import org.apache.hadoop.metrics2.lib.Interns;

/** All {@link Metric}s and the counters of fallbacks, for JMX and for Hadoop's metrics system. */
final class Counters implements DynamicMBean, MetricsSource {
  private record Shown(MetricsInfo info, LongSupplier value, boolean isGauge) {}

  private final Map<String, LongAdder> counters = new ConcurrentHashMap<>();

  /** By attribute. */
  private final NavigableMap<String, Shown> shown = new ConcurrentSkipListMap<>();

  Counters() {
    for (Metric metric : Metric.values()) {
      if (metric.inUse().isPresent()) {
        show(metric.attribute(), metric.meaning(), () -> metric.inUse().getAsLong(), true);
      } else {
        add(metric.attribute(), metric.meaning(), 0);
      }
    }
  }

  private void show(String attribute, String meaning, LongSupplier value, boolean isGauge) {
    shown.put(attribute, new Shown(Interns.info(attribute, meaning), value, isGauge));
  }

  void add(String attribute, String meaning, long amount) {
    counters
        .computeIfAbsent(
            attribute,
            name -> {
              LongAdder counter = new LongAdder();
              show(name, meaning, counter::sum, false);
              return counter;
            })
        .add(amount);
  }

  @Override
  public void getMetrics(MetricsCollector collector, boolean all) {
    MetricsRecordBuilder record =
        collector.addRecord(CommitterMetrics.SOURCE).setContext(CommitterMetrics.CONTEXT);
    for (Shown metric : shown.values()) {
      long value = metric.value().getAsLong();
      if (metric.isGauge()) {
        record.addGauge(metric.info(), value);
      } else {
        record.addCounter(metric.info(), value);
      }
    }
  }

  @Override
  public Object getAttribute(String attribute) throws AttributeNotFoundException {
    Shown metric = shown.get(attribute);
    if (metric == null) {
      throw new AttributeNotFoundException(attribute);
    }
    return metric.value().getAsLong();
  }

  @Override
  public AttributeList getAttributes(String[] names) {
    AttributeList list = new AttributeList();
    for (String name : names) {
      if (shown.containsKey(name)) {
        list.add(new Attribute(name, shown.get(name).value().getAsLong()));
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
  public Object invoke(String operation, Object[] arguments, String[] signature)
      throws ReflectionException {
    throw new ReflectionException(new NoSuchMethodException(operation));
  }

  @Override
  public MBeanInfo getMBeanInfo() {
    MBeanAttributeInfo[] attributes =
        shown.values().stream()
            .map(Shown::info)
            .map(
                it ->
                    new MBeanAttributeInfo(it.name(), "long", it.description(), true, false, false))
            .toArray(MBeanAttributeInfo[]::new);
    return new MBeanInfo(
        Counters.class.getName(),
        "The zero-rename committer in this process",
        attributes,
        null,
        null,
        null);
  }
}
