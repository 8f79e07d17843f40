package io.zerorename.hive.matrix;

import io.zerorename.hive.HiveOnS3;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** The settings of a session at one moment. */
record Settings(Map<String, String> values) {
  static Settings of(HiveOnS3 s3) {
    Map<String, String> values = new TreeMap<>();
    s3.hive().conf().forEach(setting -> values.put(setting.getKey(), setting.getValue()));
    return new Settings(values);
  }

  /** The keys whose value is another now; each statement has some, its id to begin with. */
  Set<String> changedSince(Settings earlier) {
    Set<String> keys = new HashSet<>(values.keySet());
    keys.addAll(earlier.values.keySet());
    return keys.stream()
        .filter(key -> !Objects.equals(values.get(key), earlier.values.get(key)))
        .collect(Collectors.toSet());
  }
}
