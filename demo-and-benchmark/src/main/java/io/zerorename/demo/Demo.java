package io.zerorename.demo;

import io.zerorename.demo.DemoOptions.Engine;
import io.zerorename.report.Buckets;
import io.zerorename.report.Cost;
import io.zerorename.report.Machine;
import io.zerorename.report.Program;
import io.zerorename.report.Progress;
import io.zerorename.report.Reports;
import io.zerorename.report.Workspace;
import io.zerorename.testing.hive.Sales;
import io.zerorename.testing.hive.Sales.Layout;
import io.zerorename.testing.hive.StatementFailedException;
import io.zerorename.testing.s3server.EmbeddedS3Server;
import io.zerorename.testing.s3server.MeasuredBucket;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;

/** The demo's main class: starts everything, compares, writes the reports, ends the JVM. */
public final class Demo {
  private final DemoOptions options;
  private final Path output;
  private final Progress progress;

  private Demo(DemoOptions options, Workspace workspace, Progress progress) {
    this.options = options;
    this.output = workspace.output();
    this.progress = progress;
  }

  /**
   * Runs the demo.
   *
   * @param arguments the options of a person
   */
  public static void main(String[] arguments) {
    Program.main(
        "demo",
        new DemoOptions(),
        arguments,
        "needed on this machine are 2 GB of memory, 4 with Spark, 1 GB of disk, 3 with --file-mb,"
            + " in "
            + System.getProperty("java.io.tmpdir")
            + " and free ports on 127.0.0.1",
        (options, workspace, progress) ->
            new Demo(options, workspace, progress).run(workspace.temporary()));
  }

  private int run(Path work) throws IOException, StatementFailedException, InterruptedException {
    if (options.endpoint().isPresent()
        && !Cost.isAgreedTo(options.endpoint().get(), estimatedRequests(), progress)) {
      return Program.FAILED;
    }
    progress.step("starting S3");
    try (MeasuredBucket bucket = Buckets.open(options.endpoint(), work, "demo", progress::print)) {
      Sales sales = sales(work.resolve("source")).laidOut(layout());
      progress.step(
          options.isPartitioned()
              ? "%,d sales; the statement takes those of the first %d days"
                  .formatted(sales.rows(), options.partitions)
              : "%,d sales; the statement takes those of all days".formatted(sales.rows()));
      progress.step(
          "starting " + (options.engine == Engine.SPARK ? "Spark" : "Hive on " + options.engine));
      try (SqlEngine engine = startEngine(work, bucket)) {
        Map<String, String> machine = new LinkedHashMap<>(Machine.facts());
        machine.putAll(engine.versions());
        options.endpoint().ifPresent(it -> machine.put("endpoint", it.url().toString()));
        Report report =
            new Comparison(options, bucket, engine, sales, progress)
                .run(machine, estimatedRequests());
        write(report);
        if (options.keep) {
          keep(bucket, work);
        }
        return report.passed() ? Program.PASSED : Program.FAILED;
      }
    }
  }

  /** Of the whole run, by experience: each way writes the files twice, and reads them. */
  private double estimatedRequests() {
    return 300.0 + 200.0 * options.writtenFiles();
  }

  private Layout layout() {
    if (!options.isPartitioned()) {
      return Layout.UNPARTITIONED;
    }
    return options.tasks == 1 ? Layout.FILE_PER_PARTITION : Layout.FILE_PER_TASK;
  }

  private Sales sales(Path source) throws IOException {
    progress.step("generating TPC-DS store_sales and date_dim");
    if (options.fileMegabytes > 0) {
      int days = Math.max(1, options.partitions);
      return Sales.generate(source, options.scale(), days, options.salesPerPartition());
    }
    Sales all = Sales.generate(source, options.scale());
    return options.isPartitioned() ? all.ofFirstDays(options.partitions) : all;
  }

  private SqlEngine startEngine(Path work, MeasuredBucket bucket) throws IOException {
    return options.engine == Engine.SPARK
        ? SparkEngine.start(
            options.tasks, layout(), work, output.resolve("spark.log"), bucket.access())
        : HiveEngine.start(options, layout(), work, bucket.access());
  }

  private void write(Report report) throws IOException {
    progress.print(ConsoleTable.of(report));
    String places = Reports.write(output, "demo", report.json());
    report.cost().ifPresent(cost -> progress.print("Cost: " + cost.text() + "\n"));
    progress.step(report.passed() ? "every check held" : "NOT every check held, see above");
    progress.print(places);
  }

  private void keep(MeasuredBucket bucket, Path work) {
    progress.print(
        """

        The S3 server stays up until Ctrl-C, and what the engine keeps on local disk is in %s. To list the bucket:
          export AWS_ACCESS_KEY_ID=%s AWS_SECRET_ACCESS_KEY=%s
          aws --endpoint-url %s --region %s s3 ls --recursive s3://%s/
        """
            .formatted(
                work,
                EmbeddedS3Server.ACCESS_KEY,
                EmbeddedS3Server.SECRET_KEY,
                bucket.gateway().endpoint(),
                EmbeddedS3Server.REGION,
                Buckets.NAME));
    try {
      new CountDownLatch(1).await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
