package io.zerorename.demo;

import io.zerorename.report.ProgramOptions;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The options of the demo, as they are after {@link #complete}. */
@Command(
    name = "./demo",
    customSynopsis = "./demo [options]",
    sortOptions = false,
    description =
        "%nRuns one INSERT OVERWRITE of real TPC-DS rows into a table on S3 three times: on Hive's own"
            + " rename path, on it with hive.use.scratchdir.for.staging=true, and through the"
            + " zero-rename committer; or by Spark with its default commit protocol, with algorithm"
            + " 2 of its committer, and with the zero-rename commit protocol. Hive 4.1 or Spark 3.5"
            + " and an S3 server run on this machine; nothing needs to be installed, and nothing is"
            + " sent anywhere, unless you name another S3 with --endpoint.%n",
    footer =
        "%nResults: target/demo/report.html to look at, target/demo/report.json for scripts,"
            + " target/demo/demo.log with what Hive says, target/demo/spark.log with what Spark"
            + " says.%nExit code: 0 if every check held, 1 if one did not or something broke, 2 for a"
            + " bad option.")
public final class DemoOptions extends ProgramOptions {
  private static final double SCALE = 0.01;
  private static final double SALES_AT_SCALE_1 = 2_880_000;

  /** Days on which something is sold at that scale, the least that TPC-DS knows. */
  private static final int MAX_PARTITIONS = 1783;

  private static final int PARTITIONS = 100;

  /** Partitions of a run with --file-mb. */
  private static final int FEW = 2;

  private static final int MAX_FILE_MEGABYTES = 128;
  private static final int MAX_MEGABYTES = 256;
  private static final int MAX_TASKS = 16;
  private static final int MAX_FILES = 4000;

  /** Tasks of a run with --merge. */
  private static final int SEVERAL = 4;

  private static final int MAX_LATENCY_MILLIS = 10_000;

  @Option(
      names = "--partitions",
      paramLabel = "N",
      description =
          "days of sales to write, each a partition; 1 to "
              + MAX_PARTITIONS
              + ", default "
              + PARTITIONS
              + "; 0 writes all days to a table without partitions")
  Integer partitions;

  @Option(
      names = "--tasks",
      paramLabel = "N",
      description =
          "tasks that write, each a file to each partition, or one file if there are none; 1 to "
              + MAX_TASKS
              + ", default 1")
  Integer tasks;

  @Option(
      names = "--merge",
      description =
          "Hive merges the small files of "
              + SEVERAL
              + " tasks, or of those of --tasks, by"
              + " hive.merge.tezfiles or hive.merge.mapredfiles; zero-rename commits what is merged,"
              + " by zerorename.hive.merge=commit. Not with Spark")
  boolean merge;

  /** 0 for the sales of a day. */
  @Option(
      names = "--file-mb",
      paramLabel = "M",
      description =
          "each task writes files of some M MB, 1 to "
              + MAX_FILE_MEGABYTES
              + ", and "
              + MAX_MEGABYTES
              + " in all; to "
              + FEW
              + " partitions if --partitions does not say")
  int fileMegabytes;

  @Option(names = "--format", paramLabel = "F", description = "orc, parquet or text; default orc")
  Format format = Format.ORC;

  @Option(
      names = "--engine",
      paramLabel = "E",
      description = "tez or mr for Hive, or spark; default tez")
  Engine engine = Engine.TEZ;

  @Option(
      names = "--latency-ms",
      paramLabel = "N",
      description =
          "delay of every S3 request of the measured runs in milliseconds, 0 to "
              + MAX_LATENCY_MILLIS
              + ", with server-side copies at 100 MB/s and uploads at 85 MB/s; default 0, which is"
              + " loopback")
  int latencyMillis;

  @Option(
      names = "--keep",
      description = "leave the S3 server and its data up, and print how to connect")
  boolean keep;

  /** How the tables store their rows. */
  enum Format {
    ORC(35),
    PARQUET(65),
    TEXT(125);

    private final int bytesPerSale;

    Format(int bytesPerSale) {
      this.bytesPerSale = bytesPerSale;
    }

    /** As in {@code STORED AS}. */
    String sql() {
      return this == TEXT ? "TEXTFILE" : name();
    }

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** What runs the tasks: of Hive, or of Spark SQL. */
  enum Engine {
    TEZ,
    MR,
    SPARK;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  @Override
  protected void complete() {
    if (merge && engine == Engine.SPARK) {
      throw invalid("--merge excludes --engine spark: Spark merges no files");
    }
    if (tasks == null) {
      tasks = merge ? SEVERAL : 1;
    }
    requireWithin(1, MAX_TASKS, "--tasks", tasks);
    if (partitions == null) {
      partitions = fileMegabytes == 0 ? PARTITIONS : FEW;
    }
    requireWithin(0, MAX_PARTITIONS, "--partitions", partitions);
    if (writtenFiles() > MAX_FILES) {
      throw invalid(
          "--tasks %d with --partitions %d writes more than %d files in each way"
              .formatted(tasks, partitions, MAX_FILES));
    }
    requireWithin(0, MAX_LATENCY_MILLIS, "--latency-ms", latencyMillis);
    requireWithin(0, MAX_FILE_MEGABYTES, "--file-mb", fileMegabytes);
    if (writtenFiles() * fileMegabytes > MAX_MEGABYTES) {
      throw invalid(
          "--file-mb %d in %d files is more than %d MB"
              .formatted(fileMegabytes, writtenFiles(), MAX_MEGABYTES));
    }
    if (endpoint().isPresent() && (latencyMillis > 0 || keep)) {
      throw invalid("--endpoint excludes --latency-ms and --keep");
    }
  }

  /** Of TPC-DS, with as many sales as are to be written. */
  double scale() {
    return Math.max(SCALE, 1.1 * writtenFiles() * salesPerFile() / SALES_AT_SCALE_1);
  }

  boolean isPartitioned() {
    return partitions > 0;
  }

  /** The files that tasks write; merged, there are fewer. */
  int writtenFiles() {
    return Math.max(1, partitions) * tasks;
  }

  /** Of a partition, or of a table that has none, in a run with --file-mb. */
  long salesPerPartition() {
    return tasks * salesPerFile();
  }

  private long salesPerFile() {
    return fileMegabytes * 1_000_000L / format.bytesPerSale;
  }

  /** Checks a command line and explains it where that is asked for, without running anything. */
  public static void main(String[] arguments) {
    ProgramOptions.answer("demo", new DemoOptions(), arguments);
  }
}
