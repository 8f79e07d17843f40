package io.zerorename.core.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.metrics.CommitterMetrics;
import io.zerorename.core.metrics.Metric;
import io.zerorename.core.parallel.Workers;
import io.zerorename.core.store.RequestType;
import io.zerorename.core.store.StoreException.Kind;
import io.zerorename.testing.FaultPlan.Moment;
import io.zerorename.testing.InMemoryObjectStore;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.management.Attribute;
import javax.management.JMException;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What JMX shows of commits. */
class CommitterMetricsTest {
  private static final MBeanServer JMX = ManagementFactory.getPlatformMBeanServer();

  @TempDir java.nio.file.Path workDir;

  private final InMemoryObjectStore logs = new InMemoryObjectStore("logs");
  private final InMemoryObjectStore store = new InMemoryObjectStore("bucket");
  private int number;

  /** What other tests in this process have left. */
  private Map<String, Long> before;

  @BeforeEach
  void beginAnew() throws JMException {
    CommitterMetrics.add(Metric.COMMITS, 0);
    before = values();
  }

  @Test
  void commitsAndTheirFilesAreCounted() throws Exception {
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
    } finally {
      go.countDown();
      work.get();
    }
    assertThat(value("Threads")).isZero();
  }

  @Test
  void fallbacksAreCountedByReasonToo() throws Exception {
    CommitterMetrics.addFallback("MULTI_INSERT");
    CommitterMetrics.addFallback("UNION");
    CommitterMetrics.addFallback("UNION");

    assertThat(value("Fallbacks")).isEqualTo(3);
    assertThat(value("FallbacksUnion")).isEqualTo(2);
    assertThat(value("FallbacksMultiInsert")).isEqualTo(1);
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
