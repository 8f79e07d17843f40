package io.zerorename.cli;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.hadoop.fs.Path;

/**
 * What {@code verify} reads of the report of a job, or of its {@code _SUCCESS}: the committer's, or
 * S3A's, which has less.
 *
 * @param source the file
 * @param success whether the job was committed
 * @param recovered whether another process has completed the interrupted commit
 * @param files how many the job wrote
 * @param named how many of them the report names
 * @param objects those as they were written; none where the report does not say in which bucket
 */
record JobReportFile(
    Path source,
    String jobId,
    boolean success,
    String state,
    boolean recovered,
    OptionalLong files,
    int named,
    List<WrittenObject> objects) {
  /**
   * An object as its job has written it.
   *
   * @param identity in its metadata
   */
  record WrittenObject(
      Path path, OptionalLong size, Optional<String> identity, Optional<String> etag) {}

  JobReportFile {
    objects = List.copyOf(objects);
  }
}
