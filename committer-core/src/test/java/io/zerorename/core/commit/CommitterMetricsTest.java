package io.zerorename.core.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.metrics.CommitterMetrics;
import io.zerorename.core.parallel.Workers;
import io.zerorename.core.store.RequestType;
import io.zerorename.core.store.StoreException.Kind;
import io.zerorename.testing.FaultPlan.Moment;
import io.zerorename.testing.InMemoryObjectStore;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.management.Attribute;
import javax.management.JMException;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.apache.commons.configuration2.SubsetConfiguration;
import org.apache.hadoop.metrics2.AbstractMetric;
import org.apache.hadoop.metrics2.MetricType;
import org.apache.hadoop.metrics2.MetricsRecord;
import org.apache.hadoop.metrics2.MetricsSink;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What JMX shows of commits, with Hadoop's metrics system and without. */
class CommitterMetricsTest {
  private static final MBeanServer JMX = ManagementFactory.getPlatformMBeanServer();

  /** Of Hadoop's metrics system, where one is started under this name. */
  private static final String OF_SYSTEM = "Hadoop:service=MetricsTest,name=ZeroRename";

  @TempDir java.nio.file.Path workDir;

  private final InMemoryObjectStore logs = new InMemoryObjectStore("logs");
  private final InMemoryObjectStore store = new InMemoryObjectStore("bucket");
  private int number;

  /** What other tests in this process have left. */
  private Map<String, Long> before;

  @BeforeEach
  void beginAnew() throws JMException {
    CommitterMetrics.publish();
    DefaultMetricsSystem.instance().unregisterSource(CommitterMetrics.SOURCE);
    before = values();
  }

  @Test
  void commitsAndTheirFilesAreCountedWithoutAMetricsSystem() throws Exception {
    job().task("a", "day=1/0", "day=2/0").losingTask("b", "day=1/1").insert();
    job().task("a", "day=1/0").insert();

    assertThat(value("Commits")).isEqualTo(2);
    assertThat(value("FilesCommitted")).isEqualTo(3);
    assertThat(value("BytesCommitted")).isEqualTo(21);
    assertThat(value("UploadsAborted")).isEqualTo(1);
    assertThat(value("CommitsFailed")).isZero();
  }

  @Test
  void everyOutcomeHasItsCounter() throws Exception {
    TestJob failing = job().task("a", "0");
    assertThatThrownBy(
            () ->
                failing.commit(
                    Overwrite.none(),
                    (workers, action) -> {
                      throw new IOException("a manifest is lost");
                    }))
        .isInstanceOf(CommitFailedException.class);
    failing.abort();
    TestJob stuck = job().task("a", "0");
    store.faults().failFrom(RequestType.COMPLETE_UPLOAD, 1, Moment.BEFORE_EFFECT, Kind.REJECTED);
    assertThatThrownBy(stuck::insert).isInstanceOf(CommitStateUnknownException.class);

    assertThat(value("CommitsFailed")).isEqualTo(1);
    assertThat(value("JobsAborted")).isEqualTo(1);
    assertThat(value("UploadsAborted")).isEqualTo(1);
    assertThat(value("CommitsUnknown")).isEqualTo(1);
    assertThat(value("Commits")).isZero();
  }

  @Test
  void whatIsInUseIsShownWhileItIs() throws Exception {
    CountDownLatch begun = new CountDownLatch(3);
    CountDownLatch go = new CountDownLatch(1);
    FutureTask<Void> work =
        new FutureTask<>(
            () -> {
              new Workers(3, 512)
                  .forEach(
                      List.of(1, 2, 3),
                      item -> {
                        begun.countDown();
                        try {
                          go.await();
                        } catch (InterruptedException e) {
                          throw new IOException(e);
                        }
                      });
              return null;
            });
    new Thread(work).start();
    try {
      begun.await();
      assertThat(value("Threads")).isEqualTo(2);
      Sink sink = startMetricsSystem();
      CommitterMetrics.publish();
      assertThat(sink.published()).containsEntry("Threads", before.get("Threads") + 2);
      assertThat(sink.gauges).contains("UploadMemory", "Threads").doesNotContain("Commits");
    } finally {
      go.countDown();
      work.get();
      DefaultMetricsSystem.shutdown();
    }
    assertThat(value("Threads")).isZero();
  }

  @Test
  void metricsSystemShowsTheSameAlsoAfterItsRestart() throws Exception {
    try {
      for (int start = 1; start <= 2; start++) {
        Sink sink = startMetricsSystem();
        job().task("a", "0").insert();
        assertThat(sink.published()).containsEntry("Commits", before.get("Commits") + start);
        assertThat(JMX.isRegistered(new ObjectName(OF_SYSTEM))).isTrue();
        DefaultMetricsSystem.shutdown();
        assertThat(JMX.isRegistered(new ObjectName(OF_SYSTEM))).isFalse();
      }
    } finally {
      DefaultMetricsSystem.shutdown();
    }
    job().task("a", "0").insert();
    assertThat(value("Commits")).isEqualTo(3);
  }

  @Test
  void fallbacksAreCountedByReasonToo() throws Exception {
    try {
      Sink sink = startMetricsSystem();
      CommitterMetrics.publish();
      CommitterMetrics.addFallback("MULTI_INSERT");
      CommitterMetrics.addFallback("UNION");
      CommitterMetrics.addFallback("UNION");

      assertThat(value("Fallbacks")).isEqualTo(3);
      assertThat(value("FallbacksUnion")).isEqualTo(2);
      assertThat(value("FallbacksMultiInsert")).isEqualTo(1);
      assertThat(sink.published())
          .containsEntry("Fallbacks", before.get("Fallbacks") + 3)
          .containsKey("FallbacksUnion");
    } finally {
      DefaultMetricsSystem.shutdown();
    }
  }

  private static Sink startMetricsSystem() {
    DefaultMetricsSystem.initialize("MetricsTest");
    return DefaultMetricsSystem.instance().register("sink", "of a test", new Sink());
  }

  /** What the sinks of a metrics system get from the committer. */
  private static final class Sink implements MetricsSink {
    private final Map<String, Long> latest = new ConcurrentHashMap<>();
    private final Set<String> gauges = ConcurrentHashMap.newKeySet();

    Map<String, Long> published() {
      latest.clear();
      DefaultMetricsSystem.instance().publishMetricsNow();
      return latest;
    }

    @Override
    public void init(SubsetConfiguration configuration) {}

    @Override
    public void putMetrics(MetricsRecord record) {
      if (record.context().equals(CommitterMetrics.CONTEXT)) {
        for (AbstractMetric metric : record.metrics()) {
          latest.put(metric.name(), metric.value().longValue());
          if (metric.type() == MetricType.GAUGE) {
            gauges.add(metric.name());
          }
        }
      }
    }

    @Override
    public void flush() {}
  }

  private TestJob job() throws IOException {
    return TestJob.withLogIn(logs, store, workDir, "job-" + ++number);
  }

  /** Since the test has begun. */
  private long value(String attribute) throws JMException {
    return values().get(attribute) - before.getOrDefault(attribute, 0L);
  }

  private static Map<String, Long> values() throws JMException {
    ObjectName name = new ObjectName(CommitterMetrics.NAME);
    String[] attributes =
        Stream.of(JMX.getMBeanInfo(name).getAttributes())
            .map(MBeanAttributeInfo::getName)
            .toArray(String[]::new);
    return JMX.getAttributes(name, attributes).asList().stream()
        .collect(Collectors.toMap(Attribute::getName, it -> (Long) it.getValue()));
  }
}
