package io.zerorename.hive;

import io.zerorename.testing.process.Await;
import io.zerorename.testing.s3server.BucketContents;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The commit log of a table that lies directly in its bucket, or of all of them. */
public final class TableLog {
  /** In the key of each entry and of its marker, and in no other of a log: numbers count down. */
  public static final String ENTRY = "/log/_9";

  private static final Pattern RECORD = Pattern.compile("(.*/log/_\\d{12})(\\.ended\\..*)?");

  private final BucketContents bucket;
  private final String prefix;

  private TableLog(BucketContents bucket, String prefix) {
    this.bucket = bucket;
    this.prefix = prefix;
  }

  public static TableLog of(BucketContents bucket, String table) {
    return new TableLog(bucket, "_zerorename/" + table + "-");
  }

  /** All that lie below a prefix. */
  public static TableLog below(BucketContents bucket, String prefix) {
    return new TableLog(bucket, prefix);
  }

  /** The keys of its entries, the oldest first in each log. */
  public List<String> entries() {
    return records().stream()
        .filter(found -> found.group(2) == null)
        .map(Matcher::group)
        .sorted(Comparator.reverseOrder())
        .toList();
  }

  /** Entries for which something is left to do. */
  public List<String> notEnded() {
    Set<String> ended = new HashSet<>();
    for (Matcher found : records()) {
      if (found.group(2) != null) {
        ended.add(found.group(1));
      }
    }
    return entries().stream().filter(entry -> !ended.contains(entry)).toList();
  }

  private List<Matcher> records() {
    return new TreeSet<>(bucket.objects(prefix).keySet())
        .stream().map(RECORD::matcher).filter(Matcher::matches).toList();
  }

  /** Waits until what others have left is complete, which no statement waits for. */
  public void awaitEnds() throws Exception {
    Await.until("no entry below " + prefix + " is open", () -> notEnded().isEmpty());
  }
}
