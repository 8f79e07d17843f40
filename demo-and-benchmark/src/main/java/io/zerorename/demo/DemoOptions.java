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
 * @param partitions days of sales, each a partition
 * @param fileMegabytes of the file of each partition, roughly; 0 for what a day of the scale has
 * @param latencyMillis added to each S3 request of the measured runs
 * @param keep whether server and data stay up until the person stops the demo
 * @param endpoint the S3 to run on; empty for a server on this machine
 * @param help whether to explain the options and do nothing else
 */
public record DemoOptions(
    double scale,
    int partitions,
    int fileMegabytes,
    Format format,
    Engine engine,
    int latencyMillis,
    boolean keep,
    Optional<Endpoint> endpoint,
    boolean help) {

  static final DemoOptions DEFAULTS =
      new DemoOptions(0.01, 100, 0, Format.ORC, Engine.TEZ, 0, false, Optional.empty(), false);

  /** Sales of TPC-DS fall on the days from 1998-01-02 to 2003-01-02. */
  static final int MAX_PARTITIONS = 1800;

  static final double MAX_SCALE = 100;
  static final int MAX_FILE_MEGABYTES = 64;
  static final int MAX_MEGABYTES = 256;

  /** Partitions of a run with --file-mb. */
  static final int FEW = 2;

  private static final double SALES_AT_SCALE_1 = 2_880_000;
  static final int MAX_LATENCY_MILLIS = 10_000;

  private static final String USAGE =
      """
      Runs one INSERT OVERWRITE of real TPC-DS rows into a partitioned table on S3 three times:
      on Hive's own rename path, on it with hive.use.scratchdir.for.staging=true, and through the
      zero-rename committer; or by Spark with its default commit protocol, with algorithm 2 of its
      committer, and with the zero-rename commit protocol. Hive 4.1 or Spark 3.5 and an S3 server
      run on this machine; nothing needs to be installed, and nothing is sent anywhere, unless you
      name another S3 with --endpoint.

      Usage: ./demo [options]

        --scale S            TPC-DS scale factor, above 0 and up to %s; default %s (120 thousand
                             sales, the least that TPC-DS knows), 1 is 2.9 million
        --partitions N       days of sales to write, each a partition with one file; 1 to %d,
                             default %d
        --file-mb M          in place of --scale: few partitions, each with a file of some M MB, 1 to
                             %d, and %d in all; %d partitions if --partitions does not say
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
    int partitions = 0;
    int fileMegabytes = DEFAULTS.fileMegabytes;
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
        case "--partitions" -> partitions = line.integer(1, MAX_PARTITIONS);
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
    if (fileMegabytes == 0) {
      scale = scale == 0 ? DEFAULTS.scale : scale;
      partitions = partitions == 0 ? DEFAULTS.partitions : partitions;
    } else {
      partitions = partitions == 0 ? FEW : partitions;
      if (scale > 0) {
        throw new InvalidOptionException("--scale and --file-mb exclude each other");
      }
      if (partitions * fileMegabytes > MAX_MEGABYTES) {
        throw new InvalidOptionException(
            "--file-mb %d with %d partitions is more than %d MB"
                .formatted(fileMegabytes, partitions, MAX_MEGABYTES));
      }
      scale =
          Math.max(
              DEFAULTS.scale,
              1.1 * partitions * salesPerFile(fileMegabytes, format) / SALES_AT_SCALE_1);
    }
    Optional<Endpoint> endpoint = place.endpoint();
    if (endpoint.isPresent() && (latencyMillis > 0 || keep)) {
      throw new InvalidOptionException("--endpoint excludes --latency-ms and --keep");
    }
    return new DemoOptions(
        scale, partitions, fileMegabytes, format, engine, latencyMillis, keep, endpoint, help);
  }

  /** Of a run with --file-mb. */
  long salesPerFile() {
    return salesPerFile(fileMegabytes, format);
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
