package io.zerorename.cli.doctor;

import io.zerorename.core.config.ConfigKey;
import io.zerorename.core.config.InvalidSettingException;
import io.zerorename.hive.config.HiveKeys;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;

/**
 * Checks the names and values of the committer's own keys.
 *
 * @param bucket whose own values are checked besides those for all buckets
 * @param prefix before each key in the file that sets it
 */
record OwnSettingChecks(Configuration conf, Optional<String> bucket, String prefix) {
  List<Check> all() {
    return List.of(
        new Check("own-settings", this::values), new Check("unknown-settings", this::names));
  }

  private Finding values() {
    List<String> problems = new ArrayList<>();
    List<Remedy> remedies = new ArrayList<>();
    Collection<ConfigKey<?>> keys = HiveKeys.declared().all();
    int set = 0;
    for (ConfigKey<?> key : keys) {
      String inBucket = bucket.map(it -> key.nameIn(conf, it)).orElse(key.name());
      boolean isSet = false;
      for (String name : new LinkedHashSet<>(List.of(key.name(), inBucket))) {
        try {
          Optional<?> value =
              name.equals(inBucket) && bucket.isPresent()
                  ? key.find(conf, bucket.get())
                  : key.find(conf);
          isSet |= value.isPresent();
        } catch (InvalidSettingException e) {
          problems.add(e.getMessage());
          remedies.add(
              Remedy.set(prefix + name, "<" + key.unit() + ">", "the file that the message names"));
        }
      }
      set += isSet ? 1 : 0;
    }
    return problems.isEmpty()
        ? Finding.ok(set + " of " + keys.size() + " keys are set, to values that are allowed")
        : new Finding(Outcome.WRONG, String.join(" ", problems), remedies);
  }

  private Finding names() {
    Map<String, String> unknown = HiveKeys.declared().unknownIn(conf);
    return unknown.isEmpty()
        ? Finding.ok("every zerorename.* property is one of the committer's")
        : Finding.warning(String.join(" ", unknown.values()));
  }
}
