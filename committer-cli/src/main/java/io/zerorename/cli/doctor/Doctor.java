package io.zerorename.cli.doctor;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.store.ObjectStores;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;

/** All checks, in the order in which a person reads them. */
final class Doctor {
  private final Configuration conf;
  private final ClusterFiles files;
  private final Map<String, String> environment;

  /**
   * @param conf with all that the cluster's files say
   * @param directories in which they lie, besides the class path
   */
  Doctor(Configuration conf, List<Path> directories, Map<String, String> environment) {
    this.conf = requireNonNull(conf, "conf");
    this.files = new ClusterFiles(conf, directories);
    this.environment = Map.copyOf(environment);
  }

  /**
   * What can be seen without a bucket.
   *
   * @param bucket whose own settings, of S3A and of the committer, are looked at
   */
  List<Check> ofCluster(Optional<String> bucket) {
    ClassLoader classPath = conf.getClassLoader();
    List<Check> checks = new ArrayList<>();
    checks.addAll(new VersionChecks(classPath).all());
    checks.add(new HiveJarCheck(conf, files, environment, classPath).check());
    checks.addAll(new HiveChecks(conf, files, bucket).all());
    checks.addAll(new JobCommitterChecks(files).all());
    checks.addAll(new OwnSettingChecks(conf, bucket).all());
    checks.addAll(new S3ASettingChecks(conf, bucket).all());
    return checks;
  }

  /** What needs the bucket of a path. */
  List<Check> ofBucket(
      ObjectStores stores, org.apache.hadoop.fs.Path destination, boolean readOnly) {
    return new BucketChecks(new TrialBucket(stores, conf, destination, readOnly)).all();
  }
}
