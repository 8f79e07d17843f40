package io.zerorename.cli.doctor;

import io.zerorename.core.config.CoreKeys;
import io.zerorename.core.config.S3AFileSystems;
import io.zerorename.hive.config.HiveKeys;
import io.zerorename.magic.job.MapReduceKeys;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;

/**
 * Checks that the settings of Hive, MapReduce and Tez let INSERTs and jobs use the committer. One
 * that keeps all from it is wrong, one that keeps some from it is a warning. Defaults are those of
 * Hive 4.1.
 *
 * @param conf with all files
 * @param bucket whose own values take precedence
 */
record ClusterSettings(Configuration conf, ClusterFiles files, Optional<String> bucket) {
  private static final String HIVE = "hive-site.xml";

  List<Check> all() {
    String why = "without both hooks of the committer every INSERT keeps Hive's own path";
    return List.of(
        hive("hive-hooks", () -> hive().judge(HiveKeys.hooks(), "+", why, "both hooks are set")),
        hive("hive-switch", "INSERTs use the committer"),
        hive("hive-engine", "Tez in containers, or MR"),
        hive("hive-conditional-tasks", "nothing that a condition decides is in the way"),
        hive("hive-replication", "overwritten files are not kept for replication"),
        hive("hive-trash", "no overwritten file has to go to Trash"),
        hive("hive-scratch", this::scratch),
        jobs("mapreduce-committer", "mapred-site.xml"),
        jobs("tez-committer", "tez-site.xml"));
  }

  private Check hive(String name, String fine) {
    return hive(name, () -> hive().judge(name, fine));
  }

  private Check hive(String name, Check.Test test) {
    return new Check(name, () -> files.has(HIVE) ? test.run() : ClusterFiles.missing(HIVE));
  }

  private SettingTable hive() {
    return new SettingTable(it -> conf.getTrimmed(it, ""), bucket, "", HIVE);
  }

  private Check jobs(String name, String file) {
    return new Check(
        name,
        () -> {
          Optional<Configuration> read = files.read(file);
          if (read.isEmpty()) {
            return ClusterFiles.missing(file);
          }
          Configuration own = read.get();
          return MapReduceKeys.committers().stream().allMatch(it -> own.get(it.key()) == null)
              ? Finding.notChecked(
                  "jobs do not use the committer (Hive does not need that); conf-examples/%s sets it"
                      .formatted(file))
              : new SettingTable(it -> own.getTrimmed(it, ""), bucket, "", file)
                  .judge(
                      MapReduceKeys.committers(),
                      "",
                      "jobs of one of Hadoop's APIs use another committer",
                      "jobs of both APIs use the committer");
        });
  }

  private Finding scratch() throws IOException {
    Optional<String> workDir = CoreKeys.WORK_DIR.find(conf);
    String property = workDir.isPresent() ? CoreKeys.WORK_DIR.name() : "hive.exec.scratchdir";
    Path path = new Path(workDir.orElseGet(() -> conf.getTrimmed(property, "/tmp/hive")));
    Remedy remedy = Remedy.set(CoreKeys.WORK_DIR.name(), "hdfs:///tmp/hive", HIVE);
    String found = property + " is " + path + ", on ";
    if (S3AFileSystems.holds(path, conf)) {
      return Finding.wrong(
          found + "S3, which has no renames; manifests must be renamed (SCRATCH_ON_S3)", remedy);
    }
    String scheme = path.getFileSystem(conf).getScheme();
    return switch (scheme) {
      case "hdfs", "viewfs", "webhdfs" -> Finding.ok(path + " is on " + scheme);
      case "file" ->
          Finding.warning(
              found + "this machine's own disk: tasks of other nodes do not see it", remedy);
      default ->
          Finding.warning(
              found + scheme + ": the committer needs a file system whose rename is atomic",
              remedy);
    };
  }
}
