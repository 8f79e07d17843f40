package io.zerorename.core.metrics;

import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;
import javax.management.Attribute;
import javax.management.AttributeList;
import javax.management.AttributeNotFoundException;
import javax.management.DynamicMBean;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanInfo;
import javax.management.ReflectionException;

/** All {@link Metric}s and the counters of fallbacks, for JMX. */
final class Counters implements DynamicMBean {
  private final Map<String, LongAdder> counters = new ConcurrentHashMap<>();

  void add(String attribute, long amount) {
    counters.computeIfAbsent(attribute, it -> new LongAdder()).add(amount);
  }

  private NavigableMap<String, Long> values() {
    NavigableMap<String, Long> values = new TreeMap<>();
    for (Metric metric : Metric.values()) {
      values.put(metric.attribute(), metric.inUse().orElse(0));
    }
    counters.forEach((attribute, count) -> values.put(attribute, count.sum()));
    return values;
  }

  @Override
  public Object getAttribute(String attribute) throws AttributeNotFoundException {
    Long value = values().get(attribute);
    if (value == null) {
      throw new AttributeNotFoundException(attribute);
    }
    return value;
  }

  @Override
  public AttributeList getAttributes(String[] names) {
    NavigableMap<String, Long> values = values();
    AttributeList list = new AttributeList();
    Stream.of(names)
        .filter(values::containsKey)
        .forEach(name -> list.add(new Attribute(name, values.get(name))));
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
        values().keySet().stream()
            .map(it -> new MBeanAttributeInfo(it, "long", meaning(it), true, false, false))
            .toArray(MBeanAttributeInfo[]::new);
    return new MBeanInfo(
        Counters.class.getName(),
        "The zero-rename committer in this process",
        attributes,
        null,
        null,
        null);
  }

  private static String meaning(String attribute) {
    return Stream.of(Metric.values())
        .filter(metric -> metric.attribute().equals(attribute))
        .findFirst()
        .orElse(Metric.FALLBACKS)
        .meaning();
  }
}
