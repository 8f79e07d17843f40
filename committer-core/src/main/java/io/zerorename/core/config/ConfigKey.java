package io.zerorename.core.config;

import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.util.StringUtils.TraditionalBinaryPrefix;

/**
 * One configuration key with everything that a user must know about it, and the only way in which
 * its value is read. A value that the key cannot have is never replaced by a default in silence: it
 * is an {@link InvalidSettingException}.
 *
 * @param defaultValue null where it depends on something else
 * @param defaultText as a user would write it, or a sentence where it depends on something else
 * @param allowed what a value must be, for a message
 * @param parser reads a value; an {@link IllegalArgumentException} says that it is none
 * @param isPerBucket whether it may have another value for a bucket
 */
public record ConfigKey<T>(
    String name,
    T defaultValue,
    String defaultText,
    String unit,
    String allowed,
    String description,
    Function<String, T> parser,
    boolean isPerBucket) {
  /** The prefix of every key of the committer. */
  public static final String PREFIX = "zerorename.";

  /** With which the values for one bucket begin; its name follows, and then the rest of the key. */
  public static final String BUCKET = PREFIX + "bucket.";

  /** A whole number from {@code min} to {@code max}, both allowed. */
  public static ConfigKey<Integer> wholeNumber(
      String name, int defaultValue, int min, int max, String unit, String description) {
    return new ConfigKey<>(
        name,
        defaultValue,
        Integer.toString(defaultValue),
        unit,
        "a whole number from " + min + " to " + max,
        description,
        text -> inRange(Integer.parseInt(text), min, max),
        false);
  }

  /**
   * A number of bytes from {@code min} to {@code max}, written as {@code 67108864} or {@code 64M}.
   *
   * @param defaultValue null where it depends on something else, as {@code defaultText} says
   */
  static ConfigKey<Long> size(
      String name, Long defaultValue, String defaultText, long min, long max, String description) {
    return new ConfigKey<>(
        name,
        defaultValue,
        defaultText,
        "bytes, or with a suffix K, M, G, T",
        "a size from " + sizeText(min) + " to " + sizeText(max) + ", such as 64M",
        description,
        text -> inRange(TraditionalBinaryPrefix.string2long(text), min, max),
        false);
  }

  private static <N extends Comparable<N>> N inRange(N value, N min, N max) {
    if (value.compareTo(min) < 0 || value.compareTo(max) > 0) {
      throw new IllegalArgumentException(value + " is not from " + min + " to " + max);
    }
    return value;
  }

  /** {@code true} or {@code false}. */
  public static ConfigKey<Boolean> flag(String name, boolean defaultValue, String description) {
    return new ConfigKey<>(
        name,
        defaultValue,
        Boolean.toString(defaultValue),
        "true or false",
        "true or false",
        description,
        text ->
            switch (text.toLowerCase(Locale.ROOT)) {
              case "true" -> Boolean.TRUE;
              case "false" -> Boolean.FALSE;
              default -> throw new IllegalArgumentException("neither true nor false");
            },
        false);
  }

  /** One of an enum's constants, written in lower case with hyphens. */
  public static <E extends Enum<E>> ConfigKey<E> oneOf(
      String name, E defaultValue, String description) {
    Class<E> type = defaultValue.getDeclaringClass();
    String choices =
        Stream.of(type.getEnumConstants())
            .map(ConfigKey::choiceText)
            .collect(Collectors.joining(", "));
    return new ConfigKey<>(
        name,
        defaultValue,
        choiceText(defaultValue),
        "one of " + choices,
        "one of " + choices,
        description,
        text -> Enum.valueOf(type, text.toUpperCase(Locale.ROOT).replace('-', '_')),
        false);
  }

  /**
   * Any text that is not blank.
   *
   * @param defaultText what holds where it is not set, which depends on something else
   */
  static ConfigKey<String> textWithDerivedDefault(
      String name, String defaultText, String unit, String description) {
    return new ConfigKey<>(
        name,
        null,
        defaultText,
        unit,
        unit + ", not empty",
        description,
        text -> {
          if (text.isEmpty()) {
            throw new IllegalArgumentException("empty");
          }
          return text;
        },
        false);
  }

  /**
   * The same key, which may have another value for a bucket: {@code zerorename.bucket.<bucket>.x}
   * takes the place of {@code zerorename.x} for what is written to that bucket, as S3A's {@code
   * fs.s3a.bucket.<bucket>.x} that of {@code fs.s3a.x}.
   */
  public ConfigKey<T> perBucket() {
    return new ConfigKey<>(
        name, defaultValue, defaultText, unit, allowed, description, parser, true);
  }

  /** The name by which the value for a bucket is set: the bucket's own where there is one. */
  public String nameIn(Configuration configuration, String bucket) {
    String own = BUCKET + bucket + "." + name.substring(PREFIX.length());
    return isPerBucket && configuration.getTrimmed(own) != null ? own : name;
  }

  /**
   * The value that holds for no bucket in particular, or the default where none is set.
   *
   * @throws IllegalStateException where the default depends on something else: see {@link #find}
   */
  public T from(Configuration configuration) {
    return orDefault(find(configuration));
  }

  /**
   * The value for what is written to a bucket: the bucket's own where the key may have one and it
   * is set, else that for all, else the default.
   */
  public T from(Configuration configuration, String bucket) {
    return orDefault(find(configuration, bucket));
  }

  private T orDefault(Optional<T> set) {
    return set.or(() -> Optional.ofNullable(defaultValue))
        .orElseThrow(() -> new IllegalStateException(name + " has no default of its own"));
  }

  /** The value that holds for no bucket in particular, or empty where none is set. */
  public Optional<T> find(Configuration configuration) {
    return find(name, configuration, defaultText);
  }

  /** The value for what is written to a bucket, or empty where none is set. */
  public Optional<T> find(Configuration configuration, String bucket) {
    String own = nameIn(configuration, bucket);
    return own.equals(name)
        ? find(configuration)
        : find(own, configuration, configuration.getTrimmed(name, defaultText));
  }

  private Optional<T> find(String key, Configuration configuration, String otherwise) {
    return find(
        key,
        configuration.getTrimmed(key),
        () -> fileOf(key, configuration).orElse("the session's or job's configuration"),
        otherwise);
  }

  /**
   * The value that was set elsewhere than in a configuration, or the default where none was.
   *
   * @param text what was set, or null
   * @param place where, for a message, such as {@code the properties of table t}
   */
  public T of(String text, String place) {
    return orDefault(find(name, text == null ? null : text.trim(), () -> place, defaultText));
  }

  private Optional<T> find(String key, String text, Supplier<String> place, String otherwise) {
    if (text == null) {
      return Optional.empty();
    }
    try {
      return Optional.of(parser.apply(text));
    } catch (IllegalArgumentException e) {
      throw new InvalidSettingException(
          key,
          "ZR-3201: %s is \"%s\"; it must be %s. Set it in %s or remove it to use %s."
              .formatted(key, text, allowed, place.get(), otherwise),
          e);
    }
  }

  /** The configuration file in which a key was set last, if it was one and not a program. */
  static Optional<String> fileOf(String name, Configuration configuration) {
    String[] sources = configuration.getPropertySources(name);
    String last = sources == null || sources.length == 0 ? "" : sources[sources.length - 1];
    return last.endsWith(".xml") || last.endsWith(".conf") ? Optional.of(last) : Optional.empty();
  }

  private static String choiceText(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  private static String sizeText(long bytes) {
    return TraditionalBinaryPrefix.long2String(bytes, "", 0).replace(" ", "");
  }

  @Override
  public String toString() {
    return name;
  }
}
