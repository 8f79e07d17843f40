package io.zerorename.report;

import java.net.URI;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * The options of a program: fields for picocli. Those that lead to an S3 of a person's are here,
 * because the demo and the benchmark share them.
 *
 * <p>The script compiles them alone, with picocli, so that help and errors need no build.
 */
public abstract class ProgramOptions {
  /** Of an option that help explains behind those of the program. */
  private static final int LAST = 1;

  /** Hosts of AWS; the group is the region, if they have one. */
  private static final Pattern AWS =
      Pattern.compile(
          "(?:s3[.-](?:dualstack\\.|fips\\.)?([a-z]+-[a-z-]+-\\d+)|.*)\\.amazonaws\\.com(?:\\.cn)?");

  /** Names of directories that file systems do not take for something else. */
  private static final Pattern PLACE =
      Pattern.compile(
          "([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])((?:/(?!\\.{1,2}(?:/|$))[^\\p{Cntrl}'\"\\\\/]+)*)/?");

  @Option(
      names = "--endpoint",
      order = LAST,
      paramLabel = "URL",
      description =
          "run on this S3, such as https://s3.eu-central-1.amazonaws.com, with AWS_ACCESS_KEY_ID,"
              + " AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN of the environment; an estimate of"
              + " the cost comes first")
  private URI url;

  @Option(
      names = "--bucket",
      order = LAST,
      paramLabel = "B[/DIR]",
      description =
          "the bucket for that, which must exist; the run writes to a new directory of its own"
              + " only, and empties it at its end")
  private String bucket;

  @Option(
      names = "--region",
      order = LAST,
      paramLabel = "R",
      description = "the bucket's region, if the URL does not name it")
  private String region;

  @Option(
      names = "--yes",
      order = LAST,
      description = "do not ask whether to go on after the estimate")
  private boolean agreed;

  @Option(
      names = {"-h", "--help"},
      order = LAST,
      usageHelp = true,
      description = "print this")
  private boolean help;

  @Spec private CommandSpec program;

  /** Checks what picocli has read, and sets what follows from other options. */
  protected abstract void complete();

  /** Whether to explain the options and do nothing else. */
  public boolean help() {
    return help;
  }

  /** The failure of options, to be thrown. */
  public final ParameterException invalid(String message) {
    return new ParameterException(program.commandLine(), message);
  }

  /** Refuses a number that is out of the range of its option. */
  protected final void requireWithin(Number least, Number most, String option, Number value) {
    double number = value.doubleValue();
    if (!(number >= least.doubleValue() && number <= most.doubleValue())) {
      throw invalid("%s must be from %s to %s, not '%s'".formatted(option, least, most, value));
    }
  }

  /** The S3 to run on; empty for a server on this machine. */
  public Optional<Endpoint> endpoint() {
    if (url == null) {
      if (region != null || bucket != null || agreed) {
        throw invalid("--bucket, --region and --yes need --endpoint");
      }
      return Optional.empty();
    }
    if (bucket == null) {
      throw invalid("--endpoint needs --bucket");
    }
    Matcher place = PLACE.matcher(bucket);
    if (!place.matches()) {
      throw invalid(
          "--bucket must be the name of a bucket, or that and a directory without empty names,"
              + " dots, quotes and control characters, not '"
              + bucket
              + "'");
    }
    String directory = place.group(2).isEmpty() ? "" : place.group(2).substring(1) + "/";
    URI server = server();
    return Optional.of(new Endpoint(server, region(server), place.group(1), directory, agreed));
  }

  private URI server() {
    String scheme = String.valueOf(url.getScheme()).toLowerCase(Locale.ROOT);
    URI server = URI.create(scheme + "://" + url.getRawAuthority());
    if (url.getHost() == null
        || !scheme.matches("https?")
        || url.getRawUserInfo() != null
        || !url.toString().replaceFirst("/$", "").equalsIgnoreCase(server.toString())) {
      throw invalid(
          "--endpoint must be http://host, https://host or the same with a port, not '"
              + url
              + "'");
    }
    return server;
  }

  private String region(URI server) {
    Matcher aws = AWS.matcher(server.getHost());
    if (!aws.matches()) {
      return region == null ? "us-east-1" : region;
    }
    if (aws.group(1) == null) {
      throw invalid(
          "--endpoint must be that of the bucket's region, such as"
              + " https://s3.eu-central-1.amazonaws.com, not '"
              + url
              + "'");
    }
    return region == null ? aws.group(1) : region;
  }

  /**
   * Reads a command line.
   *
   * @throws ParameterException if an option does not exist, or has a value that it does not take
   */
  public static <T extends ProgramOptions> T read(T options, String... arguments) {
    new CommandLine(options).setCaseInsensitiveEnumValuesAllowed(true).parseArgs(arguments);
    if (!options.help()) {
      options.complete();
    }
    return options;
  }

  /** Checks a command line and explains it where that is asked for, without running anything. */
  public static void answer(String program, ProgramOptions options, String... arguments) {
    try {
      if (read(options, arguments).help()) {
        System.out.print(usage(options));
      }
    } catch (ParameterException e) {
      System.err.println(program + ": " + e.getMessage());
      System.exit(2);
    }
  }

  /** What a person must know of the options. */
  static String usage(ProgramOptions options) {
    return new CommandLine(options).setUsageHelpWidth(100).getUsageMessage();
  }
}
