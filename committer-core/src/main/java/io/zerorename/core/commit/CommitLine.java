package io.zerorename.core.commit;

import static java.util.Objects.requireNonNull;
import static java.util.stream.Collectors.joining;

import io.zerorename.core.store.RequestType;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;

/**
 * What a log or a console says of a commit, in one line that is the same for every engine:
 *
 * <pre>
 * committed INSERT INTO default.t: 100 files, 123456 bytes, 100 directories, 0 old files replaced,
 * 0 uploads aborted, 107 S3 requests (put 104, get 1, list 1, bulk delete 1), 0.712 s (load
 * manifests 0.010, …), 140.4 files/s, 0.2 MB/s, job 1234…, entry 7
 * </pre>
 *
 * @param description the job in a person's words
 * @param requests to S3 that the commit has taken so far
 */
public record CommitLine(String description, CommitReport report, Map<RequestType, Long> requests) {
  private static final double MEGABYTE = 1e6;

  public CommitLine {
    requireNonNull(description, "description");
    requireNonNull(report, "report");
    Map<RequestType, Long> ordered = new EnumMap<>(RequestType.class);
    ordered.putAll(requests);
    requests = ordered;
  }

  @Override
  public String toString() {
    StringBuilder line =
        new StringBuilder(
            String.format(
                Locale.ROOT,
                "committed %s: %d files, %d bytes, %d directories, %d old files replaced,"
                    + " %d uploads aborted, %d S3 requests",
                withinASentence(description),
                report.files(),
                report.bytes(),
                report.directories(),
                report.replaced(),
                report.aborted(),
                requests.values().stream().mapToLong(Long::longValue).sum()));
    addRequests(line);
    addTimes(line);
    if (report.open().isPresent()) {
      OpenCommit open = report.open().get();
      line.append(", job %s, entry %s".formatted(open.plan().job().id(), open.number()));
    }
    if (report.decidedBefore()) {
      line.append(", decided by an earlier attempt");
    }
    return line.toString();
  }

  private void addRequests(StringBuilder line) {
    if (!requests.isEmpty()) {
      line.append(
          requests.entrySet().stream()
              .map(request -> words(request.getKey()) + " " + request.getValue())
              .collect(joining(", ", " (", ")")));
    }
  }

  /** A job that had ended before has none. */
  private void addTimes(StringBuilder line) {
    if (report.stages().isEmpty()) {
      return;
    }
    double seconds = seconds(report.duration());
    line.append(
        String.format(
            Locale.ROOT,
            ", %.3f s %s",
            seconds,
            report.stages().entrySet().stream()
                .map(
                    stage ->
                        String.format(
                            Locale.ROOT,
                            "%s %.3f",
                            stage.getKey().words(),
                            seconds(stage.getValue())))
                .collect(joining(", ", "(", ")"))));
    if (seconds > 0) {
      line.append(
          String.format(
              Locale.ROOT,
              ", %.1f files/s, %.1f MB/s",
              report.files() / seconds,
              report.bytes() / MEGABYTE / seconds));
    }
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
