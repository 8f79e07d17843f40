package io.zerorename.testing.s3server;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The body of a DeleteObjects request. */
final class BulkDelete {
  private static final Pattern KEY = Pattern.compile("<Key>([^<]*)</Key>");
  private static final Pattern CHARACTER = Pattern.compile("&#(x?)([0-9A-Fa-f]+);");

  private final List<String> keys;

  BulkDelete(byte[] body) {
    keys =
        KEY.matcher(new String(body, UTF_8)).results().map(key -> unescaped(key.group(1))).toList();
  }

  /**
   * The directory markers among the keys, where there are others too.
   *
   * <p>S3Proxy 4.1.0 deletes ten keys of a request at a time. On a file system a marker is an
   * attribute of its directory, and where the last file goes between its look whether the directory
   * is empty and the removal of that attribute, the directory stays: a LIST with a delimiter names
   * it forever, although no key begins with it, and S3A fails when it opens it. So the markers have
   * to go first.
   */
  List<String> markersBesideFiles() {
    List<String> markers = keys.stream().filter(key -> key.endsWith("/")).toList();
    return keys.size() == 1 ? List.of() : markers;
  }

  private static String unescaped(String xml) {
    String characters = CHARACTER.matcher(xml).replaceAll(BulkDelete::character);
    return characters
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&apos;", "'")
        .replace("&amp;", "&");
  }

  private static String character(MatchResult reference) {
    int radix = reference.group(1).isEmpty() ? 10 : 16;
    return Matcher.quoteReplacement(
        Character.toString(Integer.parseInt(reference.group(2), radix)));
  }
}
