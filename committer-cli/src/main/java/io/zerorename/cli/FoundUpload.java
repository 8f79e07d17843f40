package io.zerorename.cli;

import java.time.Instant;
import java.util.Optional;
import org.apache.hadoop.fs.Path;

/**
 * A pending upload.
 *
 * @param path at which its object would appear
 * @param initiated when it was begun, by the store's clock
 * @param job whose id its key carries
 * @param jobActive when the job has begun the last of its uploads that were found
 */
record FoundUpload(
    Path path,
    String uploadId,
    Instant initiated,
    Optional<String> job,
    Instant jobActive,
    UploadState state) {}
