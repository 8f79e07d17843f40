package io.zerorename.demo;

import io.zerorename.report.CommandLine;
import io.zerorename.report.CommandLine.InvalidOptionException;
import io.zerorename.report.Endpoint;
import java.util.Optional;

/**
 * The options of the demo.
 *
 * <p>It uses {@link CommandLine} and {@link Endpoint} only: the script runs the three from source.
 *
 * @param scale of TPC-DS; 1 is a gigabyte of text
 * @param partitions days of sales, each a partition; 0 for a table without partitions
 * @param fileMegabytes of each file that a task writes, roughly; 0 for what the scale has
 * @param tasks that write, each a file to each partition
 * @param merge whether Hive merges the small files of the tasks
 * @param latencyMillis added to each S3 request of the measured runs
 * @param keep whether server and data stay up until the person stops the demo
 * @param endpoint the S3 to run on; empty for a server on this machine
 * @param help whether to explain the options and do nothing else
 */
public record DemoOptions(
    double scale,
    int partitions,
    int fileMegabytes,
    int tasks,
    boolean merge,
    Format format,
    Engine engine,
    int latencyMillis,
    boolean keep,
    Optional<Endpoint> endpoint,
    boolean help) {

  static final DemoOptions DEFAULTS =
      new DemoOptions(
          0.01, 100, 0, 1, false, Format.ORC, Engine.TEZ, 0, false, Optional.empty(), false);

  /** Sales of TPC-DS fall on the days from 1998-01-02 to 2003-01-02. */
  static final int MAX_PARTITIONS = 1800;

  static final double MAX_SCALE = 100;
  static final int MAX_FILE_MEGABYTES = 128;
  static final int MAX_MEGABYTES = 256;

  /** Partitions of a run with --file-mb. */
  static final int FEW = 2;

  static final int MAX_TASKS = 16;
  static final int MAX_FILES = 4000;

  /** Tasks of a run with --merge. */
  static final int SEVERAL = 4;

  private static final double SALES_AT_SCALE_1 = 2_880_000;
  static final int MAX_LATENCY_MILLIS = 10_000;

  private static final String USAGE =
      """
      Runs one INSERT OVERWRITE of real TPC-DS rows into a table on S3 three times:
      on Hive's own rename path, on it with hive.use.scratchdir.for.staging=true, and through the
      zero-rename committer; or by Spark with its default commit protocol, with algorithm 2 of its
      committer, and with the zero-rename commit protocol. Hive 4.1 or Spark 3.5 and an S3 server
      run on this machine; nothing needs to be installed, and nothing is sent anywhere, unless you
      name another S3 with --endpoint.

      Usage: ./demo [options]

        --scale S            TPC-DS scale factor, above 0 and up to %s; default %s (120 thousand
                             sales, the least that TPC-DS knows), 1 is 2.9 million
        --partitions N       days of sales to write, each a partition; 1 to %d, default %d;
                             0 writes all days to a table without partitions
        --tasks N            tasks that write, each a file to each partition, or one file if there
                             are none; 1 to %d, default 1
        --merge              Hive merges the small files of %d tasks, or of those of --tasks, by
                             hive.merge.tezfiles or hive.merge.mapredfiles; zero-rename commits
                             what is merged, by zerorename.hive.merge=commit. Not with Spark
        --file-mb M          in place of --scale: each task writes files of some M MB, 1 to %d, and
                             %d in all; to %d partitions if --partitions does not say
        --format F           orc, parquet or text; default orc
        --engine E           tez or mr for Hive, or spark; default tez
        --latency-ms N       delay of every S3 request of the measured runs in milliseconds, 0 to
                             %d, with server-side copies at 100 MB/s; default 0, which is loopback
        --keep               leave the S3 server and its data up, and print how to connect
      %s  --help               print this

      Results: target/demo/report.html to look at, target/demo/report.json for scripts,
      target/demo/demo.log with what Hive says, target/demo/spark.log with what Spark says.
      Exit code: 0 if every check held, 1 if one did not or something broke, 2 for a bad option.
      """
          .formatted(
              CommandLine.number(MAX_SCALE),
              CommandLine.number(DEFAULTS.scale),
              MAX_PARTITIONS,
              DEFAULTS.partitions,
              MAX_TASKS,
              SEVERAL,
              MAX_FILE_MEGABYTES,
              MAX_MEGABYTES,
              FEW,
              MAX_LATENCY_MILLIS,
              Endpoint.USAGE);

  /** How the tables store their rows. */
  public enum Format {
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
  }

  /** What runs the tasks: of Hive, or of Spark SQL. */
  public enum Engine {
    TEZ,
    MR,
    SPARK
  }

  /** Reads a command line. */
  public static DemoOptions parse(String... arguments) throws InvalidOptionException {
    double scale = 0;
    int partitions = -1;
    int fileMegabytes = DEFAULTS.fileMegabytes;
    int tasks = 0;
    boolean merge = DEFAULTS.merge;
    Format format = DEFAULTS.format;
    Engine engine = DEFAULTS.engine;
    int latencyMillis = DEFAULTS.latencyMillis;
    boolean keep = DEFAULTS.keep;
    boolean help = DEFAULTS.help;
    Endpoint.Options place = new Endpoint.Options();
    CommandLine line = new CommandLine("./demo", arguments);
    while (line.hasNext()) {
      String option = line.next();
      switch (option) {
        case "--scale" -> scale = line.positive(MAX_SCALE);
        case "--partitions" -> partitions = line.integer(0, MAX_PARTITIONS);
        case "--tasks" -> tasks = line.integer(1, MAX_TASKS);
        case "--merge" -> merge = true;
        case "--file-mb" -> fileMegabytes = line.integer(1, MAX_FILE_MEGABYTES);
        case "--format" -> format = line.choice(Format.values());
        case "--engine" -> engine = line.choice(Engine.values());
        case "--latency-ms" -> latencyMillis = line.integer(0, MAX_LATENCY_MILLIS);
        case "--keep" -> keep = true;
        case "--help", "-h" -> help = true;
        default -> {
          if (!place.take(option, line)) {
            throw line.unknown();
          }
        }
      }
    }
    if (merge && engine == Engine.SPARK) {
      throw new InvalidOptionException("--merge excludes --engine spark: Spark merges no files");
    }
    if (merge && tasks == 1) {
      throw new InvalidOptionException(
          "--merge excludes --tasks 1: one task leaves nothing to merge");
    }
    if (tasks == 0) {
      tasks = merge ? SEVERAL : DEFAULTS.tasks;
    }
    if (partitions < 0) {
      partitions = fileMegabytes == 0 ? DEFAULTS.partitions : FEW;
    }
    if (Math.max(1, partitions) * tasks > MAX_FILES) {
      throw new InvalidOptionException(
          "--tasks %d with --partitions %d writes more than %d files in each way"
              .formatted(tasks, partitions, MAX_FILES));
    }
    if (fileMegabytes == 0) {
      scale = scale == 0 ? DEFAULTS.scale : scale;
    } else {
      if (scale > 0) {
        throw new InvalidOptionException("--scale and --file-mb exclude each other");
      }
      int files = Math.max(1, partitions) * tasks;
      if (files * fileMegabytes > MAX_MEGABYTES) {
        throw new InvalidOptionException(
            "--file-mb %d in %d files is more than %d MB"
                .formatted(fileMegabytes, files, MAX_MEGABYTES));
      }
      scale =
          Math.max(
              DEFAULTS.scale, 1.1 * files * salesPerFile(fileMegabytes, format) / SALES_AT_SCALE_1);
    }
    Optional<Endpoint> endpoint = place.endpoint();
    if (endpoint.isPresent() && (latencyMillis > 0 || keep)) {
      throw new InvalidOptionException("--endpoint excludes --latency-ms and --keep");
    }
    return new DemoOptions(
        scale,
        partitions,
        fileMegabytes,
        tasks,
        merge,
        format,
        engine,
        latencyMillis,
        keep,
        endpoint,
        help);
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
    return tasks * salesPerFile(fileMegabytes, format);
  }

  private static long salesPerFile(int megabytes, Format format) {
    return megabytes * 1_000_000L / format.bytesPerSale;
  }

  static String usage() {
    return USAGE;
  }

  /** Checks a command line and explains it where that is asked for, without running anything. */
  public static void main(String[] arguments) {
    CommandLine.answer("demo", () -> parse(arguments).help() ? USAGE : "");
  }
}
