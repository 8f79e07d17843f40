package io.zerorename.core.config;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All keys that an engine's committer reads, and so those which it does not: a misspelt name would
 * otherwise be ignored in silence.
 */
public final class DeclaredKeys {
  /** With which every key begins. */
  public static final String PREFIX = ConfigKey.PREFIX;

  /** With which those begin that the committer sets for itself. No user sets one. */
  public static final String INTERNAL = PREFIX + "internal.";

  private static final Logger LOG = LoggerFactory.getLogger(DeclaredKeys.class);

  /** Against users who set ever new ones in sessions of a server that runs for months. */
  private static final int REMEMBERED = 1000;

  /** Names that this process has warned of. */
  private static final Set<String> WARNED = ConcurrentHashMap.newKeySet();

  private final Map<String, ConfigKey<?>> keys = new LinkedHashMap<>();
  private final List<String> notJudged;

  /**
   * @param keys every one that is listened to
   * @param notJudged how keys begin that a part of the committer declares which may not be here
   */
  public DeclaredKeys(Collection<ConfigKey<?>> keys, List<String> notJudged) {
    keys.forEach(key -> this.keys.put(key.name(), key));
    this.notJudged = List.copyOf(notJudged);
  }

  /** Every key that is listened to. */
  public Collection<ConfigKey<?>> all() {
    return List.copyOf(keys.values());
  }

  /**
   * Keys with the committer's prefix that do not exist, sorted by name. Reads the names of all
   * settings once, and sends no request.
   */
  public List<UnknownKey> unknownIn(Configuration configuration) {
    // The names come without the prefix.
    return configuration.getPropsWithPrefix(PREFIX).keySet().stream()
        .map(rest -> PREFIX + rest)
        .filter(name -> !isKnown(name))
        .sorted()
        .map(name -> unknown(name, ConfigKey.fileOf(name, configuration)))
        .toList();
  }

  /**
   * The same, and writes a warning of each into the log, unless this process has before: a server
   * runs thousands of statements with one configuration.
   */
  public List<UnknownKey> warnOfUnknown(Configuration configuration) {
    List<UnknownKey> unknown = unknownIn(configuration);
    for (UnknownKey key : unknown) {
      if (WARNED.size() >= REMEMBERED) {
        WARNED.clear();
      }
      if (WARNED.add(key.name())) {
        LOG.warn("{}", key.message());
      }
    }
    return unknown;
  }

  private boolean isKnown(String name) {
    return keys.containsKey(name)
        || name.startsWith(INTERNAL)
        || notJudged.stream().anyMatch(name::startsWith)
        || isOfBucket(name, keys.values().stream().filter(ConfigKey::isPerBucket))
        || (name.startsWith(ConfigKey.BUCKET)
            && notJudged.stream().map(DeclaredKeys::rest).anyMatch(rest -> holds(name, rest)));
  }

  /** Whether it is one of these keys for some bucket; the name of a bucket may have dots too. */
  private static boolean isOfBucket(String name, Stream<ConfigKey<?>> keys) {
    return keys.map(key -> "." + rest(key.name()))
        .anyMatch(
            rest ->
                name.startsWith(ConfigKey.BUCKET)
                    && name.endsWith(rest)
                    && name.length() > ConfigKey.BUCKET.length() + rest.length());
  }

  private static boolean holds(String nameForBucket, String rest) {
    return nameForBucket.indexOf("." + rest, ConfigKey.BUCKET.length() + 1) > 0;
  }

  private UnknownKey unknown(String name, Optional<String> file) {
    boolean forAll = name.startsWith(ConfigKey.BUCKET) && isOfBucket(name, keys.values().stream());
    return new UnknownKey(
        name, forAll ? "cannot be set for one bucket" : "is no key of the committer", file);
  }

  private static String rest(String name) {
    return name.substring(PREFIX.length());
  }
}
