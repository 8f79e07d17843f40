package io.zerorename.core.upload;

import io.zerorename.core.config.CoreKeys;
import org.apache.hadoop.conf.Configuration;

/**
 * How a task attempt uploads.
 *
 * @param partSize of every part of a file but the last, in bytes
 * @param threads that send requests, one each; a writer waits where all do
 * @param buffering where data waits
 * @param tailSize bytes of a file's end that are kept after its close, at most its last part
 * @param inline which files are not uploaded
 */
public record UploadSettings(
    long partSize, int threads, Buffering buffering, int tailSize, InlineSettings inline) {

  private static final long S3_MIN_PART = 5L << 20;
  private static final long S3A_DEFAULT_PART = 64L << 20;

  public UploadSettings {
    tailSize = (int) Math.min(tailSize, partSize);
  }

  /** These settings, for files of which some are not uploaded. */
  public UploadSettings with(InlineSettings inlineFiles) {
    return new UploadSettings(partSize, threads, buffering, tailSize, inlineFiles);
  }

  /**
   * What the user has set for the uploads of a bucket; every file is uploaded.
   *
   * @throws InvalidSettingException where a value is not allowed
   */
  public static UploadSettings from(Configuration configuration, String bucket) {
    long ofAll = configuration.getLongBytes("fs.s3a.multipart.size", S3A_DEFAULT_PART);
    long set = configuration.getLongBytes("fs.s3a.bucket." + bucket + ".multipart.size", ofAll);
    return new UploadSettings(
        // S3A raises what is too small to what S3 takes, and so do we.
        Math.max(S3_MIN_PART, set),
        CoreKeys.UPLOAD_THREADS.from(configuration, bucket),
        Buffering.from(configuration, bucket),
        Math.toIntExact(CoreKeys.UPLOAD_TAIL_SIZE.from(configuration, bucket)),
        InlineSettings.none());
  }
}
