package io.zerorename.core.config;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All keys that an engine's committer reads, and so those which it does not: a misspelt name would
 * otherwise be ignored in silence.
 *
 * @param all every one that is listened to
 * @param notJudged how keys begin that a part of the committer declares which may not be here
 */
public record DeclaredKeys(List<ConfigKey<?>> all, List<String> notJudged) {
  /** With which those begin that the committer sets for itself. No user sets one. */
  public static final String INTERNAL = ConfigKey.PREFIX + "internal.";

  private static final Logger LOG = LoggerFactory.getLogger(DeclaredKeys.class);

  /** Against users who set ever new ones in sessions of a server that runs for months. */
  private static final int REMEMBERED = 1000;

  /** Names that this process has warned of. */
  private static final Set<String> WARNED = ConcurrentHashMap.newKeySet();

  /**
   * Keys with the committer's prefix that do not exist, each with one line for a person. Reads the
   * names of all settings once, and sends no request.
   */
  public SortedMap<String, String> unknownIn(Configuration configuration) {
    SortedMap<String, String> unknown = new TreeMap<>();
    // The names come without the prefix.
    for (String rest : configuration.getPropsWithPrefix(ConfigKey.PREFIX).keySet()) {
      String name = ConfigKey.PREFIX + rest;
      if (!isKnown(name)) {
        unknown.put(name, message(name, ConfigKey.fileOf(name, configuration)));
      }
    }
    return unknown;
  }

  /**
   * The same, and writes a warning of each into the log, unless this process has before: a server
   * runs thousands of statements with one configuration.
   */
  public SortedMap<String, String> warnOfUnknown(Configuration configuration) {
    SortedMap<String, String> unknown = unknownIn(configuration);
    unknown.forEach(
        (name, message) -> {
          if (WARNED.size() >= REMEMBERED) {
            WARNED.clear();
          }
          if (WARNED.add(name)) {
            LOG.warn("{}", message);
          }
        });
    return unknown;
  }

  private boolean isKnown(String name) {
    return name.startsWith(INTERNAL)
        || notJudged.stream().anyMatch(it -> name.startsWith(it) || isOfBucket(name, it, ".*"))
        || all.stream()
            .anyMatch(
                key ->
                    key.name().equals(name)
                        || (key.isPerBucket() && isOfBucket(name, key.name(), "")));
  }

  /** Whether it is a key for some bucket; the name of a bucket may have dots too. */
  private static boolean isOfBucket(String name, String key, String end) {
    return name.startsWith(ConfigKey.BUCKET)
        && name.substring(ConfigKey.BUCKET.length())
            .matches(".+\\." + Pattern.quote(key.substring(ConfigKey.PREFIX.length())) + end);
  }

  private String message(String name, Optional<String> file) {
    boolean forAll = all.stream().anyMatch(key -> isOfBucket(name, key.name(), ""));
    return "ZR-3203: %s %s and has no effect; docs/configuration.md lists the keys.%s"
        .formatted(
            name,
            forAll ? "cannot be set for one bucket" : "is no key of the committer",
            file.map(path -> " It is set in " + path + ".").orElse(""));
  }
}
