package io.zerorename.hive;

import io.zerorename.core.config.DeclaredKeys;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;

/**
 * The committer's settings as they were before a statement was analysed. To analyse EXECUTE, Hive
 * gives the statement the settings of its PREPARE; those of the committer are about the execution,
 * and a user who switches it off means what is run from then on.
 *
 * @param values by name without the prefix
 */
record OwnSettings(Map<String, String> values) {
  OwnSettings {
    values = Map.copyOf(values);
  }

  static OwnSettings none() {
    return new OwnSettings(Map.of());
  }

  static OwnSettings of(Configuration conf) {
    return new OwnSettings(conf.getPropsWithPrefix(DeclaredKeys.PREFIX));
  }

  /** Puts them in the place of those that are there now. */
  void restore(Configuration conf) {
    conf.getPropsWithPrefix(DeclaredKeys.PREFIX)
        .keySet()
        .forEach(name -> conf.unset(DeclaredKeys.PREFIX + name));
    values.forEach((name, value) -> conf.set(DeclaredKeys.PREFIX + name, value));
  }
}
