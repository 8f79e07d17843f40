package io.zerorename.cli.doctor;

import io.zerorename.core.store.ObjectStores;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;

/**
 * All checks, in the order in which they are printed.
 *
 * @param conf with all settings of the cluster's files
 * @param directories of these files, besides the class path
 */
record Doctor(Configuration conf, List<Path> directories, Map<String, String> environment) {
  /**
   * The checks that need no bucket.
   *
   * @param bucket whose own settings, of S3A and of the committer, are checked
   */
  List<Check> ofCluster(Optional<String> bucket) {
    ClusterFiles files = new ClusterFiles(conf, directories);
    List<Check> checks = new ArrayList<>();
    checks.addAll(new VersionChecks(conf.getClassLoader(), environment).all());
    checks.add(new Check("hive-jar", new HiveJarCheck(conf, files, environment)));
    ClusterSettings settings = new ClusterSettings(conf, files, bucket);
    checks.addAll(settings.all());
    checks.addAll(new SparkChecks(conf, files, environment, bucket).all());
    checks.addAll(new OwnSettingChecks(conf, bucket, "").all());
    checks.addAll(settings.ofS3A());
    return checks;
  }

  /** The checks of a path's bucket. */
  List<Check> ofBucket(
      ObjectStores stores, org.apache.hadoop.fs.Path destination, boolean readOnly) {
    return new BucketChecks(
            new TrialBucket(stores, conf, destination, readOnly),
            new UploadExpiry(conf, destination))
        .all();
  }
}
