package io.zerorename.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.zerorename.cli.command.Output;
import java.time.Instant;
import java.util.Optional;
import org.apache.hadoop.fs.Path;

/**
 * A pending upload.
 *
 * @param path at which its object would appear
 * @param initiated when it was begun, by the store's clock
 * @param jobId that its key carries
 * @param jobActive when the job has begun the last of its uploads that were found
 */
record FoundUpload(
    Path path,
    String uploadId,
    Instant initiated,
    Optional<String> jobId,
    Instant jobActive,
    UploadState state) {
  void describe(ObjectNode entry) {
    entry
        .put("path", path.toString())
        .put("uploadId", uploadId)
        .put("initiated", initiated.toString())
        .put("job", jobId.orElse(null))
        .put("state", Output.word(state));
  }
}
