package io.zerorename.core.metrics;

import java.lang.management.ManagementFactory;
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
import javax.management.JMException;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanInfo;
import javax.management.ObjectName;
import javax.management.ReflectionException;
import org.apache.hadoop.util.StringUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the committer has done in this process: an MBean, {@value #NAME}, which is there from the
 * first request, commit or fallback on.
 *
 * <p>Where a process has loaded this class several times, each class loader counts for itself, and
 * the first one's counts are shown. Nothing of this fails a job.
 */
public final class CommitterMetrics implements DynamicMBean {
  /** Name of the MBean. */
  public static final String NAME = "Hadoop:service=ZeroRename,name=ZeroRename";

  private static final Logger LOG = LoggerFactory.getLogger(CommitterMetrics.class);
  private static final CommitterMetrics OF_PROCESS = new CommitterMetrics();

  static {
    try {
      ManagementFactory.getPlatformMBeanServer().registerMBean(OF_PROCESS, new ObjectName(NAME));
    } catch (JMException | RuntimeException | LinkageError e) {
      LOG.info(
          "JMX does not show what is counted here. If another class loader has loaded the"
              + " committer's jar too, put it into the directory of HIVE_AUX_JARS_PATH: then it is"
              + " loaded once, and counts and limits are those of the whole process. JMX says: {}",
          e.toString());
    }
  }

  private final Map<String, LongAdder> counters = new ConcurrentHashMap<>();

  private CommitterMetrics() {}

  public static void add(Metric metric, long amount) {
    add(metric.attribute(), amount);
  }

  /** Counts a statement that keeps Hive's own path, for a reason in capitals with underscores. */
  public static void addFallback(String reason) {
    add(Metric.FALLBACKS, 1);
    add(Metric.FALLBACKS.attribute() + StringUtils.camelize(reason), 1);
  }

  private static void add(String attribute, long amount) {
    OF_PROCESS.counters.computeIfAbsent(attribute, it -> new LongAdder()).add(amount);
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
        CommitterMetrics.class.getName(),
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
        .meaning;
  }
}
