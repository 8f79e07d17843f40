package io.zerorename.cli.doctor;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.config.FixedSetting;
import io.zerorename.magic.job.MapReduceKeys;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;

/** Whether jobs of MapReduce and Tez use the committer, and then those of both of Hadoop's APIs. */
final class JobCommitterChecks {
  private final ClusterFiles files;

  JobCommitterChecks(ClusterFiles files) {
    this.files = requireNonNull(files, "files");
  }

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
        remedies.add(new Remedy.SetProperty(setting.key(), setting.value(), file));
      }
    }
    if (remedies.isEmpty()) {
      return Finding.ok("jobs of both APIs use the committer");
    }
    return any
        ? new Finding(
            Outcome.WRONG,
            "jobs of "
                + (remedies.size() == settings.size() ? "both APIs use" : "one API use")
                + " another committer",
            remedies)
        : Finding.notChecked(
            "the committer is not switched on for jobs (Hive does not need that); conf-examples/"
                + file
                + " does it");
  }
}
