package io.zerorename.cli.doctor;

import io.zerorename.core.config.CoreKeys;
import io.zerorename.core.config.S3AFileSystems;
import java.io.IOException;
import java.util.ArrayList;
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
    List<Check> checks = new ArrayList<>(of(HIVE));
    checks.add(
        new Check("hive-scratch", () -> files.has(HIVE) ? scratch() : ClusterFiles.missing(HIVE)));
    checks.addAll(of("mapred-site.xml"));
    checks.addAll(of("tez-site.xml"));
    return checks;
  }

  /** For Hive all files count, for jobs their own. */
  private List<Check> of(String file) {
    return SettingTable.of(file).stream()
        .map(
            section ->
                new Check(
                    section.check(),
                    () ->
                        files
                            .read(file)
                            .map(own -> file.equals(HIVE) ? conf : own)
                            .map(it -> judge(section, it))
                            .orElseGet(() -> ClusterFiles.missing(file))))
        .toList();
  }

  private Finding judge(SettingTable.Section section, Configuration settings) {
    return new SettingTable(it -> settings.getTrimmed(it, ""), bucket, "", section.file())
        .judge(section);
  }

  /** S3A's settings that interfere with the committer's uploads. */
  List<Check> ofS3A() {
    return SettingTable.of("core-site.xml").stream()
        .map(section -> new Check(section.check(), () -> judge(section, conf)))
        .toList();
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
