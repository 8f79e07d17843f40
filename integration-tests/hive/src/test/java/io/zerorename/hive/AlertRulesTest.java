package io.zerorename.hive;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.core.metrics.CommitterMetrics;
import io.zerorename.core.metrics.Metric;
import io.zerorename.testing.docs.SourceTree;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.management.MBeanAttributeInfo;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;

/** conf-examples/prometheus-rules.yml, against the MBean. */
class AlertRulesTest {
  private static final String RULES = SourceTree.read("conf-examples/prometheus-rules.yml");

  /** As jmx_exporter names an attribute: the domain, the first property's value, the attribute. */
  private static final String PREFIX = prefix();

  private static String prefix() {
    String[] name = CommitterMetrics.NAME.split("[:=,]", -1);
    return name[0] + "_" + name[2] + "_";
  }

  @Test
  void everyMetricExists() throws Exception {
    CommitterMetrics.add(Metric.COMMITS, 1);
    Set<String> attributes =
        Stream.of(
                ManagementFactory.getPlatformMBeanServer()
                    .getMBeanInfo(new ObjectName(CommitterMetrics.NAME))
                    .getAttributes())
            .map(MBeanAttributeInfo::getName)
            .collect(Collectors.toSet());
    List<String> named = SourceTree.find("\\b" + PREFIX + "(\\w+)", RULES);
    assertThat(named).hasSizeGreaterThan(5);
    assertThat(attributes).containsAll(named);
    assertThat(SourceTree.find("\\b(Hadoop_\\w+)", RULES)).allMatch(it -> it.startsWith(PREFIX));
  }

  @Test
  void everyMetricForAnAlertHasARule() {
    List<String> wanted =
        SourceTree.find(
            "^\\| `(\\w+)` \\|.*Set an alert", SourceTree.read("docs/observability.md"));
    assertThat(wanted).hasSize(2);
    assertThat(new TreeSet<>(SourceTree.find("\\b" + PREFIX + "(\\w+)", RULES)))
        .containsAll(wanted);
  }

  /** Each alert has what Prometheus requires, and what a person needs. */
  @Test
  void everyAlertIsWhole() {
    String[] alerts = RULES.split("- alert: ", -1);
    assertThat(alerts).hasSizeGreaterThan(5);
    for (String alert : List.of(alerts).subList(1, alerts.length)) {
      assertThat(alert).contains("\n        expr: ", "severity: ", "summary: ", "description: ");
      assertThat(alert.chars().filter(it -> it == '(').count())
          .as(alert)
          .isEqualTo(alert.chars().filter(it -> it == ')').count());
    }
    assertThat(SourceTree.find("^(\\t.*)", RULES)).as("tabs, which YAML does not allow").isEmpty();
  }
}
