package io.zerorename.core.upload;

import io.zerorename.core.store.RepeatableBody;
import org.apache.hadoop.fs.Path;

/**
 * A small file whose bytes travel to job commit, which uploads it before it decides.
 *
 * @param body its bytes, which may lie in a file or in memory
 */
public record InlineFile(
    Path destination, RepeatableBody body, String jobId, String taskAttemptId, String identity)
    implements OutputFile {

  @Override
  public long length() {
    return body.length();
  }
}
