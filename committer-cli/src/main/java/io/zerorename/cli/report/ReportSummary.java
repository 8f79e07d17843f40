package io.zerorename.cli.report;

import io.zerorename.cli.command.Units;
import io.zerorename.core.commit.CommitStage;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;

/** The main figures of a report. */
record ReportSummary(JobReportFile record) {
  private static final String STAGE = "job_commit_millis_";
  private static final String REQUESTS = "job_commit_requests_";

  String title() {
    return record.description().isEmpty() ? "Job " + record.jobId() : record.description();
  }

  /** As the description ends with it, or where the {@code _SUCCESS} is. */
  String destination() {
    int to = record.description().lastIndexOf(" to ");
    return to < 0 ? "" + record.source().getParent() : record.description().substring(to + 4);
  }

  /** Names and values for a person. */
  Map<String, String> facts() {
    Map<String, String> facts = new LinkedHashMap<>();
    record.metric("files").ifPresent(files -> facts.put("files", Units.count(files)));
    record.metric("bytes").ifPresent(bytes -> facts.put("bytes", Units.bytes(bytes)));
    record.metric("files_replaced").ifPresent(old -> facts.put("replaced", Units.count(old)));
    record
        .metric("uploads_aborted")
        .ifPresent(uploads -> facts.put("aborted", Units.count(uploads) + " uploads"));
    OptionalLong millis = record.metric("job_commit_millis");
    millis.ifPresent(time -> facts.put("commit", seconds(time) + " s"));
    record
        .metric("job_commit_requests")
        .ifPresent(requests -> facts.put("requests", Units.count(requests)));
    return facts;
  }

  /** Milliseconds by stage, in their order, unknown ones last, without those that took none. */
  Map<String, Long> stages() {
    Map<String, Long> stages = new LinkedHashMap<>();
    for (CommitStage stage : CommitStage.values()) {
      String name = stage.name().toLowerCase(Locale.ROOT);
      record.metric(STAGE + name).ifPresent(time -> stages.put(words(name), time));
    }
    with(STAGE).forEach(stages::putIfAbsent);
    stages.values().removeIf(time -> time == 0);
    return stages;
  }

  /** Requests by type. */
  Map<String, Long> requests() {
    return with(REQUESTS);
  }

  static String seconds(long millis) {
    return String.format(Locale.ROOT, "%.3f", millis / 1000.0);
  }

  private Map<String, Long> with(String prefix) {
    Map<String, Long> found = new LinkedHashMap<>();
    for (Map.Entry<String, Long> metric : record.metrics().entrySet()) {
      if (metric.getKey().startsWith(prefix) && metric.getValue() != 0) {
        found.put(words(metric.getKey().substring(prefix.length())), metric.getValue());
      }
    }
    return found;
  }

  private static String words(String name) {
    return name.replace('_', ' ');
  }
}
