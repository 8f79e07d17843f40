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

/** All {@link Metric}s and the counters of fallbacks, for JMX. */
final class Counters implements DynamicMBean {
  private record Shown(String meaning, LongSupplier value) {}

  private final Map<String, LongAdder> counters = new ConcurrentHashMap<>();

  /** By attribute. */
  private final NavigableMap<String, Shown> shown = new ConcurrentSkipListMap<>();

  Counters() {
    for (Metric metric : Metric.values()) {
      if (metric.inUse().isPresent()) {
        shown.put(
            metric.attribute(), new Shown(metric.meaning(), () -> metric.inUse().getAsLong()));
      } else {
        add(metric.attribute(), metric.meaning(), 0);
      }
    }
  }

  void add(String attribute, String meaning, long amount) {
    counters
        .computeIfAbsent(
            attribute,
            name -> {
              LongAdder counter = new LongAdder();
              shown.put(name, new Shown(meaning, counter::sum));
              return counter;
            })
        .add(amount);
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
        shown.entrySet().stream()
            .map(
                it ->
                    new MBeanAttributeInfo(
                        it.getKey(), "long", it.getValue().meaning(), true, false, false))
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
