package io.zerorename.core.recovery;

import java.time.Instant;
import java.util.Optional;
import org.apache.hadoop.fs.Path;

/**
 * A pending upload, with what the committer's records say of it.
 *
 * @param path at which its object would appear
 * @param initiated when it was begun, by the store's clock
 * @param jobId the job that it belongs to, if the records know one
 * @param active when its job last gave a sign of life; where there is none, when it was begun
 */
public record FoundUpload(
    Path path,
    String uploadId,
    Instant initiated,
    Optional<String> jobId,
    UploadStatus status,
    Instant active) {}
