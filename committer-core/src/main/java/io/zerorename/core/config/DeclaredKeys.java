package io.zerorename.core.config;

import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
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
    if (!name.startsWith(ConfigKey.BUCKET)) {
      return unknown(
          name,
          guesses(PREFIX, rest(name), keys.values()).min(Guess.NEAREST).map(Guess::key),
          file);
    }
    for (ConfigKey<?> key : keys.values()) {
      if (name.equals(ConfigKey.BUCKET + rest(key.name()))) {
        return unknown(name, Optional.of(key.name()), file);
      }
      if (isOfBucket(name, Stream.of(key))) {
        return new UnknownKey(name, "cannot be set for one bucket", Optional.of(key.name()), file);
      }
    }
    List<ConfigKey<?>> perBucket = keys.values().stream().filter(ConfigKey::isPerBucket).toList();
    Stream<Guess> guesses = Stream.of();
    for (int dot = name.indexOf('.', ConfigKey.BUCKET.length());
        dot > 0;
        dot = name.indexOf('.', dot + 1)) {
      guesses =
          Stream.concat(
              guesses, guesses(name.substring(0, dot + 1), name.substring(dot + 1), perBucket));
    }
    return unknown(name, guesses.min(Guess.NEAREST).map(Guess::key), file);
  }

  private static UnknownKey unknown(String name, Optional<String> nearest, Optional<String> file) {
    return new UnknownKey(name, "is no key of the committer", nearest, file);
  }

  /** What may have been meant, and how far that is from what was written. */
  private record Guess(String key, int distance) {
    static final Comparator<Guess> NEAREST = Comparator.comparingInt(Guess::distance);
  }

  /** The keys of which at least half is right. */
  private static Stream<Guess> guesses(
      String prefix, String written, Collection<ConfigKey<?>> keys) {
    String wanted = written.toLowerCase(Locale.ROOT);
    return keys.stream()
        .map(key -> rest(key.name()))
        .filter(rest -> 2 * distance(wanted, rest) <= Math.max(wanted.length(), rest.length()))
        .map(rest -> new Guess(prefix + rest, distance(wanted, rest)));
  }

  private static String rest(String name) {
    return name.substring(PREFIX.length());
  }

  /** How many letters must be added, removed or replaced to make one of the other. */
  private static int distance(String one, String other) {
    int[] above = new int[other.length() + 1];
    for (int j = 0; j <= other.length(); j++) {
      above[j] = j;
    }
    for (int i = 1; i <= one.length(); i++) {
      int[] row = new int[other.length() + 1];
      row[0] = i;
      for (int j = 1; j <= other.length(); j++) {
        int replaced = above[j - 1] + (one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1);
        row[j] = Math.min(replaced, 1 + Math.min(above[j], row[j - 1]));
      }
      above = row;
    }
    return above[other.length()];
  }
}
