package io.zerorename.cli.doctor;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;

/**
 * Checks that S3A's settings do not interfere with the committer's uploads.
 *
 * @param bucket whose own values take precedence
 * @param prefix before each property in the file that sets it
 * @param file its name
 */
record S3ASettingChecks(Configuration conf, Optional<String> bucket, String prefix, String file) {
  List<Check> all() {
    return List.of(
        new Check("multipart-uploads", this::multipart),
        new Check("upload-purge", this::purge),
        new Check("encryption", this::encryption));
  }

  private Finding multipart() {
    String property = property("multipart.uploads.enabled");
    return conf.getBoolean(property, true)
        ? Finding.ok(property + " is true")
        : Finding.wrong(
            property + " is false, but the committer needs multipart uploads (MULTIPART_OFF)",
            set(property, "true"));
  }

  private Finding purge() {
    List<Remedy> remedies = new ArrayList<>();
    for (String name : List.of("multipart.purge", "directory.operations.purge.uploads")) {
      String property = property(name);
      if (conf.getBoolean(property, false)) {
        remedies.add(set(property, "false"));
      }
    }
    return remedies.isEmpty()
        ? ofItsCommitters()
        : new Finding(
            Outcome.WRONG, "S3A aborts uploads, also those of running INSERTs and jobs", remedies);
  }

  /** Where they are in use, each of their jobs aborts what is pending below its destination. */
  private Finding ofItsCommitters() {
    String name = property("committer.name");
    String committer = conf.getTrimmed(name, "file");
    String abort = property("committer.abort.pending.uploads");
    return committer.equals("file") || !conf.getBoolean(abort, true)
        ? Finding.ok("S3A aborts no uploads by itself")
        : Finding.warning(
            ("%s is %s: jobs of that committer abort all uploads below their destinations, also"
                    + " those of running INSERTs and jobs, which then fail")
                .formatted(name, committer),
            set(abort, "false"));
  }

  private Finding encryption() {
    String property = property("encryption.algorithm");
    String algorithm = conf.getTrimmed(property, "");
    if (algorithm.isEmpty()) {
      property = property("server-side-encryption-algorithm");
      algorithm = conf.getTrimmed(property, "");
    }
    if (algorithm.toUpperCase(Locale.ROOT).startsWith("CSE")) {
      return Finding.wrong(
          "%s is %s; client-side encryption is not supported".formatted(property, algorithm),
          set(property, "SSE-KMS"));
    }
    return Finding.ok(algorithm.isEmpty() ? "the bucket's own" : property + " is " + algorithm);
  }

  private Remedy set(String property, String value) {
    return Remedy.set(prefix + property, value, file);
  }

  /** The bucket's own property where it is set, or else that for all buckets. */
  private String property(String name) {
    return bucket
        .map(it -> "fs.s3a.bucket." + it + "." + name)
        .filter(own -> conf.getTrimmed(own) != null)
        .orElse("fs.s3a." + name);
  }
}
