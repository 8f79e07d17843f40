package io.zerorename.cli.doctor;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;

/** Whether S3A's settings leave the committer's uploads alone, by their values for one bucket. */
final class S3ASettingChecks {
  private static final String FILE = "core-site.xml";

  private final Configuration conf;
  private final Optional<String> bucket;

  /**
   * @param bucket whose settings go before those for all
   */
  S3ASettingChecks(Configuration conf, Optional<String> bucket) {
    this.conf = requireNonNull(conf, "conf");
    this.bucket = requireNonNull(bucket, "bucket");
  }

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
            property + " is false, and uploads are all that the committer uses (MULTIPART_OFF)",
            new Remedy.SetProperty(property, "true", FILE));
  }

  private Finding purge() {
    List<Remedy> remedies = new ArrayList<>();
    for (String name : List.of("multipart.purge", "directory.operations.purge.uploads")) {
      String property = property(name);
      if (conf.getBoolean(property, false)) {
        remedies.add(new Remedy.SetProperty(property, "false", FILE));
      }
    }
    return remedies.isEmpty()
        ? Finding.ok("S3A aborts no uploads by itself")
        : new Finding(
            Outcome.WRONG,
            "S3A aborts uploads, those of running INSERTs and jobs as well",
            remedies);
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
          property + " is " + algorithm + "; client-side encryption is not supported",
          new Remedy.SetProperty(property, "SSE-KMS", FILE));
    }
    return Finding.ok(algorithm.isEmpty() ? "the bucket's own" : property + " is " + algorithm);
  }

  /** The bucket's own property where it is set, or else that for all buckets. */
  private String property(String name) {
    String general = "fs.s3a." + name;
    return bucket
        .map(it -> "fs.s3a.bucket." + it + "." + name)
        .filter(own -> conf.getTrimmed(own) != null)
        .orElse(general);
  }
}
