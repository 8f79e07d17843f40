package io.zerorename.demo;

import io.zerorename.demo.DemoOptions.Engine;
import io.zerorename.report.CommandLine.InvalidOptionException;
import io.zerorename.report.Cost;
import io.zerorename.report.Endpoint;
import io.zerorename.report.Machine;
import io.zerorename.report.Progress;
import io.zerorename.report.S3Prices;
import io.zerorename.report.Workspace;
import io.zerorename.testing.hive.Sales;
import io.zerorename.testing.hive.Sales.Layout;
import io.zerorename.testing.hive.StatementFailedException;
import io.zerorename.testing.s3server.EmbeddedS3Server;
import io.zerorename.testing.s3server.MeasuredBucket;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;

/** The demo's main class: starts everything, compares, writes the reports, ends the JVM. */
public final class Demo {
  private static final String BUCKET = "warehouse";
  private static final int PASSED = 0;
  private static final int FAILED = 1;
  private static final int BAD_OPTION = 2;

  private final DemoOptions options;
  private final Path output;
  private final Progress progress;
  private final PrintStream console;

  private Demo(DemoOptions options, Path output, PrintStream console) {
    this.options = options;
    this.output = output;
    this.console = console;
    this.progress = new Progress(console);
  }

  /**
   * Runs the demo.
   *
   * @param arguments the options of a person; the system property {@code zerorename.demo.output}
   *     names the directory of the reports
   */
  public static void main(String[] arguments) {
    PrintStream console = System.out;
    int code;
    try {
      DemoOptions options = DemoOptions.parse(arguments);
      if (options.help()) {
        console.print(DemoOptions.usage());
        code = PASSED;
      } else {
        Path output =
            Path.of(System.getProperty("zerorename.demo.output", "target/demo")).toAbsolutePath();
        code = new Demo(options, output, console).run();
      }
    } catch (InvalidOptionException e) {
      console.println("demo: " + e.getMessage());
      code = BAD_OPTION;
    }
    console.flush();
    System.err.flush();
    // Tez leaves threads behind that would keep the JVM alive.
    Runtime.getRuntime().halt(code);
  }

  private int run() {
    try {
      if (options.endpoint().isPresent()
          && !Cost.isAgreedTo(
              options.endpoint().get(), S3Prices.load(), estimatedRequests(), progress)) {
        return FAILED;
      }
    } catch (IOException e) {
      console.println("demo: " + e.getMessage());
      return FAILED;
    }
    try (Workspace workspace = Workspace.open(output, "demo")) {
      return compare(workspace);
    } catch (IOException e) {
      console.println("demo: cannot write to " + output + ": " + e);
      return FAILED;
    }
  }

  private int compare(Workspace workspace) {
    try {
      return compare(workspace.temporary());
    } catch (DemoException e) {
      console.println("demo: " + e.getMessage());
    } catch (StatementFailedException e) {
      e.printStackTrace();
      console.println("demo: a statement could not be run: " + e.getMessage());
      console.println("demo: what happened before is in " + logs(workspace));
    } catch (IOException | RuntimeException e) {
      e.printStackTrace();
      console.println("demo: stopped: " + e);
      console.println(
          options.endpoint().isPresent()
              ? "demo: the log is " + logs(workspace)
              : "demo: needed are 2 GB of memory, 4 with Spark, 1 GB of disk, 3 with --file-mb, in "
                  + System.getProperty("java.io.tmpdir")
                  + " and free ports on 127.0.0.1; the log is "
                  + logs(workspace));
    }
    return FAILED;
  }

  private String logs(Workspace workspace) {
    return workspace.log() + (options.engine() == Engine.SPARK ? " and " + sparkLog() : "");
  }

  private int compare(Path work) throws IOException, DemoException, StatementFailedException {
    if (options.endpoint().isEmpty()) {
      progress.step("starting an S3 server");
    }
    try (MeasuredBucket bucket = bucket(work)) {
      Sales sales = sales(work.resolve("source")).laidOut(layout());
      progress.step(
          options.isPartitioned()
              ? "%,d sales; the statement takes those of the first %d days"
                  .formatted(sales.rows(), options.partitions())
              : "%,d sales; the statement takes those of all days".formatted(sales.rows()));
      progress.step(
          "starting "
              + (options.engine() == Engine.SPARK ? "Spark" : "Hive on " + options.engine()));
      try (SqlEngine engine = startEngine(work, bucket)) {
        Map<String, String> machine = new LinkedHashMap<>(Machine.facts());
        machine.putAll(engine.versions());
        options.endpoint().ifPresent(it -> machine.put("endpoint", it.url().toString()));
        Report report =
            new Comparison(options, bucket, engine, sales, progress)
                .run(machine, S3Prices.load(), estimatedRequests());
        write(report);
        if (options.keep()) {
          keep(bucket, work);
        }
        return report.passed() ? PASSED : FAILED;
      }
    }
  }

  private MeasuredBucket bucket(Path work) throws IOException {
    if (options.endpoint().isEmpty()) {
      return MeasuredBucket.ownServer(work.resolve("s3"), BUCKET);
    }
    Endpoint endpoint = options.endpoint().get();
    return MeasuredBucket.at(
        endpoint.url(),
        endpoint.region(),
        endpoint.bucket(),
        endpoint.newDirectory("demo"),
        progress::print);
  }

  /** Of the whole run, by experience: each way writes the files twice, and reads them. */
  private double estimatedRequests() {
    return 300.0 + 200.0 * options.writtenFiles();
  }

  private Layout layout() {
    if (!options.isPartitioned()) {
      return Layout.UNPARTITIONED;
    }
    return options.tasks() == 1 ? Layout.FILE_PER_PARTITION : Layout.FILE_PER_TASK;
  }

  private Sales sales(Path source) throws IOException, DemoException {
    if (options.fileMegabytes() > 0) {
      progress.step("generating TPC-DS store_sales and date_dim");
      int days = Math.max(1, options.partitions());
      return Sales.generate(source, options.scale(), days, options.salesPerPartition());
    }
    progress.step("generating TPC-DS store_sales and date_dim, scale " + options.scale());
    Sales all = Sales.generate(source, options.scale());
    if (all.days() < options.partitions()) {
      throw new DemoException(
          "there are sales on only "
              + all.days()
              + " days at scale "
              + options.scale()
              + ", fewer than --partitions "
              + options.partitions()
              + ". Ask for fewer partitions or a larger --scale",
          null);
    }
    return options.isPartitioned() ? all.ofFirstDays(options.partitions()) : all;
  }

  private SqlEngine startEngine(Path work, MeasuredBucket bucket) throws IOException {
    return options.engine() == Engine.SPARK
        ? SparkEngine.start(options.tasks(), layout(), work, sparkLog(), bucket.access())
        : HiveEngine.start(options, layout(), work, bucket.access());
  }

  private Path sparkLog() {
    return output.resolve("spark.log");
  }

  private void write(Report report) throws IOException {
    progress.print(ConsoleTable.of(report));
    Path json = output.resolve("report.json");
    Path html = output.resolve("report.html");
    Files.writeString(json, JsonReport.of(report));
    Files.writeString(html, HtmlReport.of(report));
    report.cost().ifPresent(cost -> progress.print("Cost: " + cost.text() + "\n"));
    progress.step(report.passed() ? "every check held" : "NOT every check held, see above");
    progress.print("Look at    " + html.toUri() + "\nfor scripts " + json);
  }

  private void keep(MeasuredBucket bucket, Path work) {
    progress.print(
        """

        The S3 server stays up until Ctrl-C.
          endpoint    %s (path-style, region %s)
          keys        AWS_ACCESS_KEY_ID=%s AWS_SECRET_ACCESS_KEY=%s
          bucket      %s
          warehouse   %s
          list        AWS_ACCESS_KEY_ID=%s AWS_SECRET_ACCESS_KEY=%s aws --endpoint-url %s --region %s s3 ls --recursive s3://%s/
        """
            .formatted(
                bucket.gateway().endpoint(),
                EmbeddedS3Server.REGION,
                EmbeddedS3Server.ACCESS_KEY,
                EmbeddedS3Server.SECRET_KEY,
                BUCKET,
                work,
                EmbeddedS3Server.ACCESS_KEY,
                EmbeddedS3Server.SECRET_KEY,
                bucket.gateway().endpoint(),
                EmbeddedS3Server.REGION,
                BUCKET));
    try {
      new CountDownLatch(1).await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
