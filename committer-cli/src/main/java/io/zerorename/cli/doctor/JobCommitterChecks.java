package io.zerorename.cli.doctor;

import io.zerorename.core.config.FixedSetting;
import io.zerorename.magic.job.MapReduceKeys;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;

/** Checks that MapReduce and Tez jobs of both of Hadoop's APIs use the committer. */
record JobCommitterChecks(ClusterFiles files) {
  List<Check> all() {
    return List.of(
        new Check("mapreduce-committer", () -> find("mapred-site.xml")),
        new Check("tez-committer", () -> find("tez-site.xml")));
  }

  private Finding find(String file) {
    Optional<Configuration> conf = files.read(file);
    if (conf.isEmpty()) {
      return ClusterFiles.missing(file);
    }
    List<FixedSetting> settings = MapReduceKeys.committers();
    List<Remedy> remedies = new ArrayList<>();
    boolean any = false;
    for (FixedSetting setting : settings) {
      String value = conf.get().getTrimmed(setting.key());
      any |= value != null;
      if (!setting.value().equals(value)) {
        remedies.add(Remedy.set(setting.key(), setting.value(), file));
      }
    }
    if (remedies.isEmpty()) {
      return Finding.ok("jobs of both APIs use the committer");
    }
    return any
        ? new Finding(
            Outcome.WRONG,
            "jobs of %s API use another committer"
                .formatted(remedies.size() == settings.size() ? "either" : "one"),
            remedies)
        : Finding.notChecked(
            "jobs do not use the committer (Hive does not need that); conf-examples/%s sets it"
                .formatted(file));
  }
}
