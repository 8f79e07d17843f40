package io.zerorename.demo;

import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * What the person who started the demo asked for.
 *
 * <p>This file stands alone: the script runs it from source, so that help and a typing error need
 * no build.
 *
 * @param scale of TPC-DS; 1 is a gigabyte of text
 * @param partitions days of sales, each a partition
 * @param latencyMillis added to each S3 request of the measured runs
 * @param keep whether server and data stay up until the person stops the demo
 * @param help whether to explain the options and do nothing else
 */
public record DemoOptions(
    double scale,
    int partitions,
    Format format,
    Engine engine,
    int latencyMillis,
    boolean keep,
    boolean help) {

  static final DemoOptions DEFAULTS =
      new DemoOptions(0.01, 100, Format.ORC, Engine.TEZ, 0, false, false);

  /** Sales of TPC-DS fall on the days from 1998-01-02 to 2003-01-02. */
  static final int MAX_PARTITIONS = 1800;

  static final double MAX_SCALE = 100;
  static final int MAX_LATENCY_MILLIS = 10_000;

  private static final String USAGE =
      """
      Runs one INSERT OVERWRITE of real TPC-DS rows into a partitioned table on S3 three times:
      on Hive's own rename path, on it with hive.use.scratchdir.for.staging=true, and through the
      zero-rename committer. Hive 4.1 on Tez and an S3 server run on this machine; nothing needs
      to be installed, and nothing is sent anywhere.

      Usage: ./demo [options]

        --scale S        TPC-DS scale factor, above 0 and up to %s; default %s (120 thousand
                         sales, the least that TPC-DS knows), 1 is 2.9 million
        --partitions N   days of sales to write, each a partition with one file; 1 to %d,
                         default %d
        --format F       orc, parquet or text; default orc
        --engine E       tez or mr; default tez
        --latency-ms N   delay of every S3 request of the measured runs in milliseconds, 0 to
                         %d, with server-side copies at 100 MB/s; default 0, which is loopback
        --keep           leave the S3 server and its data up, and print how to connect
        --help           print this

      Results: target/demo/report.html to look at, target/demo/report.json for scripts,
      target/demo/demo.log with what Hive says.
      Exit code: 0 if every check held, 1 if one did not or something broke, 2 for a bad option.
      """
          .formatted(
              number(MAX_SCALE),
              number(DEFAULTS.scale),
              MAX_PARTITIONS,
              DEFAULTS.partitions,
              MAX_LATENCY_MILLIS);

  /** How the tables store their rows. */
  public enum Format {
    ORC,
    PARQUET,
    TEXT;

    /** As in {@code STORED AS}. */
    String sql() {
      return this == TEXT ? "TEXTFILE" : name();
    }
  }

  /** What runs Hive's tasks. */
  public enum Engine {
    TEZ,
    MR
  }

  /** An option that does not exist or a value that it does not take. */
  public static final class InvalidOptionException extends Exception {
    private static final long serialVersionUID = 1L;

    InvalidOptionException(String message) {
      super(message);
    }
  }

  /** Reads a command line. */
  public static DemoOptions parse(String... arguments) throws InvalidOptionException {
    double scale = DEFAULTS.scale;
    int partitions = DEFAULTS.partitions;
    Format format = DEFAULTS.format;
    Engine engine = DEFAULTS.engine;
    int latencyMillis = DEFAULTS.latencyMillis;
    boolean keep = DEFAULTS.keep;
    boolean help = DEFAULTS.help;
    Iterator<String> rest = split(arguments).iterator();
    while (rest.hasNext()) {
      String option = rest.next();
      switch (option) {
        case "--scale" -> scale = scale(option, value(option, rest));
        case "--partitions" -> partitions = integer(option, value(option, rest), 1, MAX_PARTITIONS);
        case "--format" -> format = choice(option, value(option, rest), Format.values());
        case "--engine" -> engine = choice(option, value(option, rest), Engine.values());
        case "--latency-ms" ->
            latencyMillis = integer(option, value(option, rest), 0, MAX_LATENCY_MILLIS);
        case "--keep" -> keep = true;
        case "--help", "-h" -> help = true;
        default ->
            throw new InvalidOptionException(
                "unknown option '" + option + "'; ./demo --help lists the options");
      }
    }
    return new DemoOptions(scale, partitions, format, engine, latencyMillis, keep, help);
  }

  static String usage() {
    return USAGE;
  }

  /** Checks a command line and explains it where that is asked for, without running anything. */
  public static void main(String[] arguments) {
    try {
      if (parse(arguments).help()) {
        System.out.print(USAGE);
      }
    } catch (InvalidOptionException e) {
      System.err.println("demo: " + e.getMessage());
      System.exit(2);
    }
  }

  /** Makes two words of {@code --name=value}. */
  private static List<String> split(String[] arguments) {
    return Arrays.stream(arguments)
        .flatMap(
            argument ->
                argument.startsWith("--") && argument.contains("=")
                    ? Arrays.stream(argument.split("=", 2))
                    : Arrays.stream(new String[] {argument}))
        .toList();
  }

  private static String value(String option, Iterator<String> rest) throws InvalidOptionException {
    if (!rest.hasNext()) {
      throw new InvalidOptionException(option + " needs a value; ./demo --help explains it");
    }
    return rest.next();
  }

  private static double scale(String option, String value) throws InvalidOptionException {
    double scale;
    try {
      scale = Double.parseDouble(value);
    } catch (NumberFormatException e) {
      scale = Double.NaN;
    }
    if (!(scale > 0 && scale <= MAX_SCALE)) {
      throw new InvalidOptionException(
          option
              + " must be a number above 0 and up to "
              + number(MAX_SCALE)
              + ", not '"
              + value
              + "'");
    }
    return scale;
  }

  private static int integer(String option, String value, int least, int most)
      throws InvalidOptionException {
    try {
      int number = Integer.parseInt(value);
      if (number >= least && number <= most) {
        return number;
      }
    } catch (NumberFormatException e) {
      // Answered below, as a number out of range is.
    }
    throw new InvalidOptionException(
        option + " must be a whole number from " + least + " to " + most + ", not '" + value + "'");
  }

  private static <E extends Enum<E>> E choice(String option, String value, E[] choices)
      throws InvalidOptionException {
    for (E choice : choices) {
      if (name(choice).equals(value.toLowerCase(Locale.ROOT))) {
        return choice;
      }
    }
    throw new InvalidOptionException(
        option
            + " must be "
            + Arrays.stream(choices).map(DemoOptions::name).collect(Collectors.joining(" or "))
            + ", not '"
            + value
            + "'");
  }

  static String name(Enum<?> choice) {
    return choice.name().toLowerCase(Locale.ROOT);
  }

  private static String number(double value) {
    return value == Math.rint(value) ? String.valueOf((long) value) : String.valueOf(value);
  }
}
