package io.zerorename.core.upload;

import io.zerorename.core.config.CoreKeys;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;

/**
 * Which files of a task attempt are not uploaded, but inlined for the job's commit.
 *
 * @param maxBytes of one file; 0: none
 * @param attemptBytes of all of them together
 */
public record InlineSettings(long maxBytes, long attemptBytes) {
  /** Up to here a job was quicker if its commit wrote a file: docs/performance/small-files.md. */
  private static final long DEFAULT_MAX = 512L << 10;

  /** By default, where a job's commit has all bytes of an attempt in its memory at once. */
  public static final long ATTEMPT_BYTES = 8L << 20;

  /** By default, where each file is committed by itself. */
  public static final long ATTEMPT_BYTES_BY_FILE = 32L << 20;

  /** Their bytes must not rest anywhere else than under those keys. */
  private static final Set<String> KEYS_OF_OWN =
      Set.of("SSE-KMS", "DSSE-KMS", "SSE-C", "CSE-KMS", "CSE-CUSTOM");

  /**
   * At most this task attempt's share of what its job's commit takes: the commit is one process.
   *
   * @param bucket of the attempt's files
   * @param tasks of the job, as far as that is known
   */
  public InlineSettings shared(Configuration configuration, String bucket, int tasks) {
    long share = CoreKeys.INLINE_JOB_BYTES.from(configuration, bucket) / Math.max(1, tasks);
    return new InlineSettings(maxBytes, Math.min(attemptBytes, share));
  }

  /** Every file is uploaded. */
  public static InlineSettings none() {
    return new InlineSettings(0, 0);
  }

  /**
   * What the user has set for a bucket.
   *
   * @param attemptBytes where the user has not set it
   * @throws io.zerorename.core.config.InvalidSettingException where a value is not allowed
   */
  public static InlineSettings from(Configuration configuration, String bucket, long attemptBytes) {
    return new InlineSettings(
        CoreKeys.INLINE_MAX_BYTES
            .find(configuration, bucket)
            .orElse(hasKeysOfItsOwn(configuration, bucket) ? 0 : DEFAULT_MAX),
        CoreKeys.INLINE_TASK_BYTES.find(configuration, bucket).orElse(attemptBytes));
  }

  private static boolean hasKeysOfItsOwn(Configuration configuration, String bucket) {
    String algorithm = "";
    for (String prefix : List.of("fs.s3a.", "fs.s3a.bucket." + bucket + ".")) {
      for (String name : List.of("server-side-encryption-algorithm", "encryption.algorithm")) {
        algorithm = configuration.getTrimmed(prefix + name, algorithm);
      }
    }
    return KEYS_OF_OWN.contains(algorithm.toUpperCase(Locale.ROOT));
  }
}
