package io.zerorename.demo;

import io.zerorename.report.Cost;
import io.zerorename.report.Progress;
import io.zerorename.report.SlowServer;
import io.zerorename.report.SlowServer.Measured;
import io.zerorename.testing.hive.RequestLog;
import io.zerorename.testing.hive.Sales;
import io.zerorename.testing.hive.StatementFailedException;
import io.zerorename.testing.hive.Timeline;
import io.zerorename.testing.s3server.BucketContents;
import io.zerorename.testing.s3server.FaultRule;
import io.zerorename.testing.s3server.MeasuredBucket;
import io.zerorename.testing.s3server.RequestCounts;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;

/**
 * Runs the statement in every way. Each first fills its table, which is not measured and warms up
 * the engine and the way's code, and after all have done that each overwrites it, which is.
 */
record Comparison(
    DemoOptions options, MeasuredBucket bucket, SqlEngine engine, Sales sales, Progress progress) {
  Report run(Map<String, String> machine, double estimatedRequests)
      throws StatementFailedException, IOException, InterruptedException {
    progress.step(engine.facts().name() + " joins the source tables, to know what must come out");
    for (String statement : sales.createSources()) {
      engine.execute(statement);
    }
    TableReader reader = new TableReader(engine, sales);
    SortedMap<String, Map<String, Long>> expected = reader.expected();
    for (Way way : engine.ways()) {
      fillTable(way);
    }
    List<Measurement> measurements = new ArrayList<>();
    for (Way way : engine.ways()) {
      measurements.add(measure(way, reader));
    }
    progress.step("comparing what the tables hold, and what lies in the bucket");
    EngineFacts facts = engine.facts();
    boolean withStatistics = facts.withoutStatistics().isEmpty();
    Checks checks = new Checks(expected, measurements, withStatistics, options.merge);
    return new Report(
        Instant.now(),
        options,
        facts,
        machine,
        sales.insertOverwrite("<table>"),
        measurements,
        checks.rowsEqual().passed(),
        withStatistics ? Optional.of(checks.statisticsEqual().passed()) : Optional.empty(),
        checks.run(),
        options
            .endpoint()
            .map(it -> Cost.of(estimatedRequests, bucket.gateway().counts().byApiName())));
  }

  private void fillTable(Way way) throws StatementFailedException, IOException {
    progress.step(way.title() + ": a first INSERT OVERWRITE fills the table (not measured)");
    engine.use(way);
    engine.execute(
        sales.createTarget(way.table(), bucket.location(way.table()), options.format.sql()));
    engine.execute(sales.insertOverwrite(way.table()));
  }

  private Measurement measure(Way way, TableReader reader)
      throws StatementFailedException, IOException, InterruptedException {
    progress.step(way.title() + ": the measured INSERT OVERWRITE of what is there");
    engine.use(way);
    RequestLog requests = new RequestLog();
    bucket.gateway().faults(requests);
    Measured<List<String>> measured =
        new SlowServer(bucket, options.latencyMillis)
            .measure(() -> engine.execute(sales.insertOverwrite(way.table())));
    Duration wall = measured.wall();
    RequestCounts counts = measured.requests();
    bucket.gateway().faults(FaultRule.NONE);
    Timeline timeline = engine.timeline();
    List<String> committerLines = engine.committerLines();

    progress.step(
        String.format(
            Locale.ROOT,
            "%s: %.1f s, %d requests, %d COPY; reading the table back",
            way.title(),
            wall.toMillis() / 1000.0,
            counts.total(),
            counts.copies()));
    return new Measurement(
        way,
        wall,
        timeline.durations(wall),
        counts,
        requests.byPhase(timeline),
        committerLines,
        reader.read(way.table()),
        bucket.contents().objects(way.table() + "/"),
        bucket.contents().pendingUploads(way.table() + "/").stream()
            .map(BucketContents.PendingUpload::key)
            .toList());
  }
}
