package io.zerorename.core.log;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * How the records of a {@link CommitLog} are named.
 *
 * <pre>
 * log/_&lt;n&gt;                                                  entry n
 * log/_&lt;n&gt;.&lt;state&gt;.&lt;kind&gt;.&lt;etag&gt;.&lt;open&gt;[.&lt;run&gt;].&lt;job id&gt;
 *                                                           a marker of entry n
 * parts/_&lt;job id&gt;.&lt;write&gt;.&lt;SHA-256&gt;                      a chunk of a plan
 * </pre>
 *
 * A file whose own name begins with an underscore is no data for Hadoop and Spark, also where the
 * glob of a reader matches the directory in which it lies.
 *
 * <p>Numbers are counted down from {@link #MAX} and have a fixed length, so that a listing shows
 * the newest entry first and each marker after its entry.
 */
final class EntryNames {
  static final String LOG = "log/";
  static final String PARTS = "parts/";

  /** More entries than one per millisecond of thirty years. */
  static final long MAX = 999_999_999_999L;

  /** A name with a higher number is of another program: no log can grow so far. */
  private static final long HIGHEST = MAX - 1_000_000_000L;

  private static final int DIGITS = 12;

  /** Stands for open entries that are too many for a name. */
  private static final String MANY = "many";

  private static final Pattern NAME =
      Pattern.compile(
          ("%s_(\\d{%s})(?:\\.((?:ended\\.)?[a-z-]+)\\.([a-z]+)\\.([A-Za-z0-9-]*)"
                  + "\\.(%s|(?:\\d{1,12}(?:-\\d{1,12})*)?)\\.(?:([0-9a-f-]{36})\\.)?([^/]+))?")
              .formatted(LOG, DIGITS, MANY));

  /** The write's id is a UUID. */
  private static final Pattern OF_PLAN =
      Pattern.compile(
          PARTS + "_[^/]+\\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\\.[0-9a-f]{64}");

  private EntryNames() {}

  /** An entry's name, or a marker's. */
  record Parsed(long number, Optional<Marker> marker) {}

  static String entry(long number) {
    if (number < 1 || number > MAX) {
      throw new IllegalArgumentException(number + " is no number of an entry");
    }
    return LOG + "_" + ("%0" + DIGITS + "d").formatted(MAX - number);
  }

  static String marker(Marker marker) {
    return "%s.%s.%s.%s.%s.%s%s"
        .formatted(
            entry(marker.number()),
            marker.state().inName(),
            marker.kind().name().toLowerCase(Locale.ROOT),
            marker.etag(),
            marker
                .open()
                .map(it -> it.stream().map(String::valueOf).collect(Collectors.joining("-")))
                .orElse(MANY),
            marker.run().isEmpty() ? "" : marker.run() + ".",
            URLEncoder.encode(marker.jobId(), StandardCharsets.UTF_8));
  }

  /** An ETag as it stands in a name. */
  static String inName(String etag) {
    return etag == null ? "" : etag.replaceAll("[^A-Za-z0-9-]", "");
  }

  static String chunk(String jobId, String write, byte[] chunk) {
    return "%s_%s.%s.%s"
        .formatted(PARTS, URLEncoder.encode(jobId, StandardCharsets.UTF_8), write, sha256(chunk));
  }

  /** Whether some bytes are those that were written under the name of a chunk. */
  static boolean isChunk(String name, byte[] bytes) {
    return name.endsWith("." + sha256(bytes));
  }

  private static String sha256(byte[] bytes) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every Java has SHA-256", e);
    }
  }

  /** Empty where the log has not written a record of that name. */
  static Optional<Parsed> parse(String name) {
    Matcher parts = NAME.matcher(name);
    if (!parts.matches()) {
      return Optional.empty();
    }
    long number = MAX - Long.parseLong(parts.group(1));
    if (number < 1 || number > HIGHEST) {
      return Optional.empty();
    }
    try {
      return Optional.of(
          new Parsed(
              number,
              parts.group(2) == null ? Optional.empty() : Optional.of(marker(number, parts))));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  /**
   * @throws IllegalArgumentException where one of its parts is none that the log writes
   */
  private static Marker marker(long number, Matcher parts) {
    return new Marker(
        number,
        EntryState.named(parts.group(2)),
        EntryKind.valueOf(parts.group(3).toUpperCase(Locale.ROOT)),
        parts.group(4),
        numbers(parts.group(5)),
        Optional.ofNullable(parts.group(6)).orElse(""),
        URLDecoder.decode(parts.group(7), StandardCharsets.UTF_8));
  }

  private static Optional<SortedSet<Long>> numbers(String joined) {
    if (joined.equals(MANY)) {
      return Optional.empty();
    }
    return Optional.of(
        Stream.of(joined.split("-", -1))
            .filter(number -> !number.isEmpty())
            .map(Long::valueOf)
            .collect(Collectors.toCollection(TreeSet::new)));
  }

  /** Whether a record holds a chunk of a plan. */
  static boolean isOfPlan(String name) {
    return OF_PLAN.matcher(name).matches();
  }
}
