package io.zerorename.cli.report;

import static java.util.Objects.requireNonNull;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import org.apache.hadoop.fs.Path;

/**
 * What a {@code _SUCCESS} or a report says of a job: ours, or S3A's, which says less.
 *
 * @param source where it was read
 * @param success whether the job was committed
 * @param files keys, with a slash at the beginning
 * @param objects the same files as they were written; empty in S3A's reports
 */
public record CommitRecord(
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
   * @param identity what it carries as metadata
   */
  public record WrittenObject(
      Path path, OptionalLong size, Optional<String> identity, Optional<String> etag) {
    public WrittenObject {
      requireNonNull(path, "path");
    }
  }

  public CommitRecord {
    files = List.copyOf(files);
    objects = List.copyOf(objects);
  }

  /** A number of the report's. */
  public OptionalLong metric(String name) {
    Long value = metrics.get(name);
    return value == null ? OptionalLong.empty() : OptionalLong.of(value);
  }
}
