package io.zerorename.demo;

import io.zerorename.report.Progress;
import io.zerorename.testing.hive.LocalHive;
import io.zerorename.testing.hive.RequestLog;
import io.zerorename.testing.hive.Sales;
import io.zerorename.testing.hive.StatementFailedException;
import io.zerorename.testing.hive.Subject;
import io.zerorename.testing.hive.Timeline;
import io.zerorename.testing.s3server.BucketContents;
import io.zerorename.testing.s3server.EmbeddedS3Server;
import io.zerorename.testing.s3server.FaultRule;
import io.zerorename.testing.s3server.Latency;
import io.zerorename.testing.s3server.RequestCounts;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SortedMap;
import org.apache.hadoop.hive.ql.metadata.HiveException;

/**
 * Runs the statement for every subject. Each subject first creates its partitions, which is not
 * measured and warms up the engine and the subject's code, and after all have done that each
 * overwrites them, which is.
 */
final class Comparison {
  private static final long COPY_BYTES_PER_SECOND = 100_000_000;

  private final DemoOptions options;
  private final EmbeddedS3Server server;
  private final BucketContents bucket;
  private final LocalHive hive;
  private final Sales sales;
  private final Progress progress;

  Comparison(
      DemoOptions options,
      EmbeddedS3Server server,
      BucketContents bucket,
      LocalHive hive,
      Sales sales,
      Progress progress) {
    this.options = options;
    this.server = server;
    this.bucket = bucket;
    this.hive = hive;
    this.sales = sales;
    this.progress = progress;
  }

  Report run(java.util.Map<String, String> machine) throws StatementFailedException, HiveException {
    progress.step("Hive starts its engine and joins the source tables, to know what must come out");
    sales.create(hive);
    TableReader reader = new TableReader(hive, sales);
    SortedMap<String, PartitionFacts> expected = reader.expected();
    for (Subject subject : Subject.values()) {
      createPartitions(subject);
    }
    List<Measurement> measurements = new ArrayList<>();
    for (Subject subject : Subject.values()) {
      measurements.add(measure(subject, reader));
    }
    progress.step("comparing rows, partitions, statistics and what lies in the bucket");
    Checks checks = new Checks(expected, measurements);
    return new Report(
        Instant.now(),
        options,
        machine,
        sales.insertOverwrite("<table>"),
        measurements,
        checks.rowsEqual().passed(),
        checks.statisticsEqual().passed(),
        checks.run());
  }

  private void createPartitions(Subject subject) throws StatementFailedException {
    progress.step(
        subject.title() + ": a first INSERT OVERWRITE creates the partitions (not measured)");
    subject.configure(hive);
    hive.execute(
        sales.createTarget(
            subject.table(),
            "s3a://" + bucket.bucket() + "/" + subject.table(),
            options.format().sql()));
    hive.execute(sales.insertOverwrite(subject.table()));
  }

  private Measurement measure(Subject subject, TableReader reader)
      throws StatementFailedException, HiveException {
    progress.step(subject.title() + ": the measured INSERT OVERWRITE of existing partitions");
    subject.configure(hive);
    RequestLog requests = new RequestLog();
    server.gateway().faults(requests);
    if (options.latencyMillis() > 0) {
      server
          .gateway()
          .latency(
              Latency.NONE
                  .withPerRequest(Duration.ofMillis(options.latencyMillis()))
                  .withCopyRate(COPY_BYTES_PER_SECOND));
    }
    RequestCounts before = server.gateway().counts();
    long start = System.nanoTime();
    hive.execute(sales.insertOverwrite(subject.table()));
    Duration wall = Duration.ofNanos(System.nanoTime() - start);
    RequestCounts counts = server.gateway().counts().minus(before);
    server.gateway().latency(Latency.NONE);
    server.gateway().faults(FaultRule.NONE);
    Timeline timeline = new Timeline(hive.times());
    List<String> committerLines =
        hive.console().lines().filter(line -> line.startsWith("zero-rename:")).toList();

    progress.step(
        String.format(
            Locale.ROOT,
            "%s: %.1f s, %d requests, %d COPY; reading the table back",
            subject.title(),
            wall.toMillis() / 1000.0,
            counts.total(),
            counts.copies()));
    return new Measurement(
        subject,
        wall,
        timeline.durations(wall),
        counts,
        requests.byPhase(timeline),
        committerLines,
        reader.read(subject.table()),
        bucket.objects(subject.table() + "/"),
        bucket.pendingUploads(subject.table()).stream()
            .map(BucketContents.PendingUpload::key)
            .toList());
  }
}
