package io.zerorename.core.commit;

import static java.util.stream.Collectors.joining;

import io.zerorename.core.store.RequestType;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * What a log or a console says of a commit, in one line that is the same for every engine:
 *
 * <pre>
 * committed INSERT INTO default.t: 100 files, 123456 bytes, 0 old files replaced, 0 uploads aborted,
 * 107 S3 requests (put 104, get 1, list 1, bulk delete 1), 0.712 s (load
 * manifests 0.010, …), 140.4 files/s, 0.2 MB/s, job 1234…, entry 7
 * </pre>
 *
 * @param description the job in a person's words
 * @param requests to S3 that the commit has taken so far
 */
public record CommitLine(String description, CommitReport report, Map<RequestType, Long> requests) {
  private static final double MEGABYTE = 1e6;

  public CommitLine {
    requests = new TreeMap<>(requests);
  }

  @Override
  public String toString() {
    StringBuilder line =
        new StringBuilder(
            String.format(
                Locale.ROOT,
                "committed %s: %d files, %d bytes, %d old files replaced,"
                    + " %d uploads aborted, %d S3 requests",
                withinASentence(description),
                report.files(),
                report.bytes(),
                report.replaced(),
                report.aborted(),
                requests.values().stream().mapToLong(Long::longValue).sum()));
    if (!requests.isEmpty()) {
      line.append(
          requests.entrySet().stream()
              .map(request -> words(request.getKey()) + " " + request.getValue())
              .collect(joining(", ", " (", ")")));
    }
    double seconds = seconds(report.duration());
    // A job that had ended before has no stages.
    if (!report.stages().isEmpty()) {
      line.append(
          report.stages().entrySet().stream()
              .map(
                  it ->
                      String.format(
                          Locale.ROOT, "%s %.3f", it.getKey().words(), seconds(it.getValue())))
              .collect(joining(", ", String.format(Locale.ROOT, ", %.3f s (", seconds), ")")));
    }
    if (seconds > 0) {
      line.append(
          String.format(
              Locale.ROOT,
              ", %.1f files/s, %.1f MB/s",
              report.files() / seconds,
              report.bytes() / MEGABYTE / seconds));
    }
    report
        .open()
        .ifPresent(
            open -> line.append(", job " + open.plan().job().id() + ", entry " + open.number()));
    if (report.decidedBefore()) {
      line.append(", decided by an earlier attempt");
    }
    return line.toString();
  }

  private static double seconds(Duration duration) {
    return duration.toNanos() / 1e9;
  }

  private static String words(RequestType type) {
    return type.name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }

  /** "The output of a job" begins small here, a statement's keyword does not. */
  private static String withinASentence(String description) {
    return description.startsWith("The ") ? "t" + description.substring(1) : description;
  }
}
