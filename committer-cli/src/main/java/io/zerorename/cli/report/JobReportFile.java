package io.zerorename.cli.report;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import org.apache.hadoop.fs.Path;

/**
 * The report of a job, or its {@code _SUCCESS}: the committer's, or S3A's, which has less.
 *
 * @param source the file
 * @param success whether the job was committed
 * @param files keys, with a slash at the beginning
 * @param objects the same files as they were written; empty in S3A's reports
 */
public record JobReportFile(
    Path source,
    String committer,
    String jobId,
    String description,
    boolean success,
    String state,
    String date,
    String host,
    SortedMap<String, Long> metrics,
    SortedMap<String, String> diagnostics,
    List<String> files,
    List<WrittenObject> objects) {
  /**
   * An object as its job has written it.
   *
   * @param identity in its metadata
   */
  public record WrittenObject(
      Path path, OptionalLong size, Optional<String> identity, Optional<String> etag) {}

  public JobReportFile {
    files = List.copyOf(files);
    objects = List.copyOf(objects);
  }

  /** Whether another process has completed the interrupted commit. */
  public boolean isRecovered() {
    return diagnostics.containsKey("recovered");
  }

  /** A number of the report. */
  public OptionalLong metric(String name) {
    Long value = metrics.get(name);
    return value == null ? OptionalLong.empty() : OptionalLong.of(value);
  }
}
