package io.zerorename.core.metrics;

import java.util.Map;
import java.util.NavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.LongAdder;
import javax.management.Attribute;
import javax.management.AttributeList;
import javax.management.AttributeNotFoundException;
import javax.management.DynamicMBean;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanInfo;
import javax.management.MBeanOperationInfo;
import javax.management.MBeanParameterInfo;
import javax.management.ReflectionException;

/**
 * The counters of a process, to which every class loader adds through JMX. It may outlive the class
 * loader that has made it, so it uses no class of ours after its construction.
 */
final class SharedCounters implements DynamicMBean {
  /** The operation that counts: attribute, meaning, amount. */
  static final String ADD = "add";

  static final String[] ADD_SIGNATURE = {
    String.class.getName(), String.class.getName(), long.class.getName()
  };

  private final NavigableMap<String, LongAdder> counters = new ConcurrentSkipListMap<>();
  private final Map<String, String> meanings = new ConcurrentSkipListMap<>();

  SharedCounters() {
    for (Metric metric : Metric.values()) {
      meanings.put(metric.attribute(), metric.meaning());
      counters.put(metric.attribute(), new LongAdder());
    }
  }

  @Override
  public Object invoke(String operation, Object[] arguments, String[] signature)
      throws ReflectionException {
    if (!operation.equals(ADD) || arguments.length != ADD_SIGNATURE.length) {
      throw new ReflectionException(new NoSuchMethodException(operation));
    }
    String attribute = (String) arguments[0];
    meanings.putIfAbsent(attribute, (String) arguments[1]);
    counters.computeIfAbsent(attribute, name -> new LongAdder()).add((Long) arguments[2]);
    return null;
  }

  @Override
  public Object getAttribute(String attribute) throws AttributeNotFoundException {
    LongAdder counter = counters.get(attribute);
    if (counter == null) {
      throw new AttributeNotFoundException(attribute);
    }
    return counter.sum();
  }

  @Override
  public AttributeList getAttributes(String[] names) {
    AttributeList list = new AttributeList();
    for (String name : names) {
      LongAdder counter = counters.get(name);
      if (counter != null) {
        list.add(new Attribute(name, counter.sum()));
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
        counters.keySet().stream()
            .map(
                name ->
                    new MBeanAttributeInfo(
                        name, "long", meanings.getOrDefault(name, name), true, false, false))
            .toArray(MBeanAttributeInfo[]::new);
    MBeanOperationInfo add =
        new MBeanOperationInfo(
            ADD,
            "For the committer itself: counts",
            new MBeanParameterInfo[] {
              new MBeanParameterInfo("attribute", ADD_SIGNATURE[0], "what is counted"),
              new MBeanParameterInfo("meaning", ADD_SIGNATURE[1], "its description"),
              new MBeanParameterInfo("amount", ADD_SIGNATURE[2], "how much")
            },
            "void",
            MBeanOperationInfo.ACTION);
    return new MBeanInfo(
        SharedCounters.class.getName(),
        "The zero-rename committer in this process",
        attributes,
        null,
        new MBeanOperationInfo[] {add},
        null);
  }
}
