package io.zerorename.core.upload;

import io.zerorename.core.config.CoreKeys;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.conf.Configuration;

/**
 * Which files of a task attempt are not uploaded, but inlined for the job's commit. Only Hive has
 * such files: where rows are sorted by partition it closes one file after the other, and each close
 * would wait for an upload. Other engines wait for all uploads of an attempt together.
 *
 * @param maxBytes of one file; 0: none
 * @param attemptBytes of all of them together
 * @param inlined how many there are by now, in all sessions of the attempt
 */
public record InlineSettings(long maxBytes, long attemptBytes, AtomicLong inlined) {
  /** Up to here a job was quicker if its commit wrote a file: docs/performance.md. */
  private static final long DEFAULT_MAX = 512L << 10;

  private static final long ATTEMPT_BYTES = 32L << 20;

  /** Of all attempts of a job: its commit is one process. */
  private static final long JOB_BYTES = 256L << 20;

  /** Their bytes must not rest anywhere else than under those keys. */
  private static final Set<String> KEYS_OF_OWN =
      Set.of("SSE-KMS", "DSSE-KMS", "SSE-C", "CSE-KMS", "CSE-CUSTOM");

  /** Every file is uploaded. */
  public static InlineSettings none() {
    return new InlineSettings(0, 0, new AtomicLong());
  }

  /**
   * What the user has set for a bucket.
   *
   * @param tasks of the job, as far as that is known
   * @param inlined counts the bytes of the attempt's
   * @throws io.zerorename.core.config.InvalidSettingException where a value is not allowed
   */
  public static InlineSettings from(
      Configuration configuration, String bucket, int tasks, AtomicLong inlined) {
    return new InlineSettings(
        CoreKeys.INLINE_MAX_BYTES
            .find(configuration, bucket)
            .orElse(hasKeysOfItsOwn(configuration, bucket) ? 0 : DEFAULT_MAX),
        Math.min(ATTEMPT_BYTES, JOB_BYTES / Math.max(1, tasks)),
        inlined);
  }

  /** How long a file may be, in bytes, to be inlined, as long as no other one is given back. */
  long longest() {
    return maxBytes == 0 ? -1 : Math.min(maxBytes, attemptBytes - inlined.get());
  }

  /** Takes a file of this length, if it is small enough and there is room for it. */
  boolean take(long length) {
    return length <= longest() && inlined.addAndGet(length) >= 0;
  }

  void giveBack(long length) {
    inlined.addAndGet(-length);
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
