package io.zerorename.report;

import io.zerorename.report.CommandLine.InvalidOptionException;
import java.net.URI;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An S3 that a person names, to be used in place of the server that the program starts.
 *
 * @param url http or https, with a host and no path
 * @param prefix empty, or a directory of the bucket, with a slash behind it
 * @param agreed whether the person has agreed to the cost
 */
public record Endpoint(URI url, String region, String bucket, String prefix, boolean agreed) {

  /** What the programs say about their options. */
  public static final String USAGE =
      """
        --endpoint URL       run on this S3, such as https://s3.eu-central-1.amazonaws.com, with
                             AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN of
                             the environment; an estimate of the cost comes first
        --bucket B[/DIR]     the bucket for that, which must exist; the run writes to a new
                             directory of its own only, and empties it at its end
        --region R           the bucket's region, if the URL does not name it
        --yes                do not ask whether to go on after the estimate
      """;

  private static final Pattern REGIONAL =
      Pattern.compile(
          "s3[.-](?:dualstack\\.|fips\\.)?([a-z]+-[a-z-]+-\\d+)\\.amazonaws\\.com(\\.cn)?");
  private static final Pattern AWS = Pattern.compile(".*\\.amazonaws\\.com(\\.cn)?");
  private static final Pattern BUCKET = Pattern.compile("[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]");

  /** File systems take others for something else. */
  private static final Pattern NAME = Pattern.compile("(?!\\.{1,2}$)[^\\p{Cntrl}'\"\\\\]+");

  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("uuuuMMdd-HHmmss").withZone(ZoneOffset.UTC);

  /** A directory of the bucket that no other run has, with a slash behind it. */
  public String newDirectory(String program) {
    return prefix
        + "zero-rename-"
        + program
        + "-"
        + TIME.format(Instant.now())
        + "-"
        + UUID.randomUUID().toString().substring(0, 8)
        + "/";
  }

  /** Collects the options of {@link #USAGE}. */
  public static final class Options {
    private Optional<String> url = Optional.empty();
    private String region = "";
    private String place = "";
    private boolean agreed;

    /** Takes the value of one of its options; false if the option is another. */
    public boolean take(String option, CommandLine line) throws InvalidOptionException {
      switch (option) {
        case "--endpoint" -> url = Optional.of(line.value());
        case "--region" -> region = line.value();
        case "--bucket" -> place = line.value();
        case "--yes" -> agreed = true;
        default -> {
          return false;
        }
      }
      return true;
    }

    /** The endpoint, if there is one; to be called when all options are taken. */
    public Optional<Endpoint> endpoint() throws InvalidOptionException {
      if (url.isEmpty()) {
        if (!region.isEmpty() || !place.isEmpty() || agreed) {
          throw new InvalidOptionException("--bucket, --region and --yes need --endpoint");
        }
        return Optional.empty();
      }
      if (place.isEmpty()) {
        throw new InvalidOptionException("--endpoint needs --bucket");
      }
      String[] words = place.split("/", 2);
      if (!BUCKET.matcher(words[0]).matches()) {
        throw new InvalidOptionException(
            "--bucket must be the name of a bucket, not '" + place + "'");
      }
      String prefix = words.length == 1 ? "" : words[1].replaceAll("/$", "");
      for (String name : prefix.isEmpty() ? new String[0] : prefix.split("/", -1)) {
        if (!NAME.matcher(name).matches()) {
          throw new InvalidOptionException(
              "--bucket must name a directory without empty names, dots, quotes and control"
                  + " characters, not '"
                  + place
                  + "'");
        }
      }
      URI server = server();
      return Optional.of(
          new Endpoint(
              server, region(server), words[0], prefix.isEmpty() ? "" : prefix + "/", agreed));
    }

    private URI server() throws InvalidOptionException {
      URI server;
      try {
        server = URI.create(url.orElseThrow());
      } catch (IllegalArgumentException e) {
        server = URI.create("");
      }
      String scheme = String.valueOf(server.getScheme()).toLowerCase(Locale.ROOT);
      if (server.getHost() == null
          || !(scheme.equals("http") || scheme.equals("https"))
          || !(server.getRawPath().isEmpty() || server.getRawPath().equals("/"))
          || server.getRawUserInfo() != null
          || server.getRawQuery() != null
          || server.getRawFragment() != null) {
        throw invalid("http://host, https://host or the same with a port");
      }
      return URI.create(scheme + "://" + server.getRawAuthority());
    }

    private InvalidOptionException invalid(String allowed) {
      return new InvalidOptionException(
          "--endpoint must be " + allowed + ", not '" + url.orElseThrow() + "'");
    }

    private String region(URI server) throws InvalidOptionException {
      Matcher regional = REGIONAL.matcher(server.getHost());
      if (regional.matches()) {
        return region.isEmpty() ? regional.group(1) : region;
      }
      if (AWS.matcher(server.getHost()).matches()) {
        throw invalid("that of the bucket's region, such as https://s3.eu-central-1.amazonaws.com");
      }
      return region.isEmpty() ? "us-east-1" : region;
    }
  }
}
