package io.zerorename.cli;

import io.zerorename.cli.command.S3Paths;
import io.zerorename.core.config.UnknownKey;
import io.zerorename.hive.config.HiveKeys;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;

/**
 * What of a configuration may be given to others: the values of properties that are known by name,
 * without secrets and login details. Of all others not even the names are shown.
 */
final class ShareableSettings {
  private static final String S3A = "fs.s3a.";
  private static final String OF_BUCKET = S3A + "bucket.";

  /** By name, because S3A may be missing. */
  private static final String CONSTANTS = "org.apache.hadoop.fs.s3a.Constants";

  private static final String COMMITTER = "zerorename.";

  /** How further names begin. */
  private static final List<String> OTHERS =
      List.of(
          "fs.defaultFS",
          "fs.trash.interval",
          "hive.auto.convert.join",
          "hive.aux.jars.path",
          "hive.blobstore.",
          "hive.exec.dynamic.partition",
          "hive.exec.parallel",
          "hive.exec.scratchdir",
          "hive.execution.",
          "hive.merge.",
          "hive.metastore.warehouse.",
          "hive.optimize.union.remove",
          "hive.query.lifetime.hooks",
          "hive.repl.cm.enabled",
          "hive.semantic.analyzer.hook",
          "hive.use.scratchdir.for.staging",
          "mapred.output.committer.class",
          "mapreduce.fileoutputcommitter.",
          "mapreduce.outputcommitter.",
          "yarn.app.mapreduce.am.staging-dir");

  private static final Pattern SECRET =
      Pattern.compile(
          "secret|passw|token|credential|login|user.?name|access.?key|encryption\\.(key|context)");

  /** Classes, which have names that look like that. */
  private static final Pattern CLASS = Pattern.compile("(provider|binding|impl)$");

  private static final Pattern LOGIN = Pattern.compile("\\S*@");
  private static final String REDACTED = "(redacted)";

  /** Values that are no secret whatever the name says, and stand in many a line. */
  private static final Pattern COMMON_WORD = Pattern.compile("true|false|\\d{0,5}|.{0,3}");

  private static final String DEFAULTS = "-default.xml";

  private final Configuration conf;
  private final Set<String> known;
  private final Set<String> unknown;

  ShareableSettings(Configuration conf) {
    this.conf = conf;
    known = ofS3A(conf);
    unknown =
        HiveKeys.declared().unknownIn(conf).stream()
            .map(UnknownKey::name)
            .collect(Collectors.toSet());
  }

  /** The names that S3A declares; none where it is not on the class path. */
  private static Set<String> ofS3A(Configuration conf) {
    Set<String> names = new HashSet<>();
    Class<?> constants = conf.getClassByNameOrNull(CONSTANTS);
    for (Field field : constants == null ? new Field[0] : constants.getFields()) {
      try {
        if (field.get(null) instanceof String name && name.startsWith(S3A)) {
          names.add(name.substring(S3A.length()));
        }
      } catch (IllegalAccessException e) {
        throw new IllegalStateException(field + " is public", e);
      }
    }
    return names;
  }

  /** One line for each property that was set, and how many more there are. */
  String text() {
    Map<String, String> lines = new TreeMap<>();
    int others = 0;
    for (Map.Entry<String, String> property : conf) {
      String name = property.getKey();
      String source = source(name);
      if (source.endsWith(DEFAULTS)) {
        continue;
      }
      if (!isShown(name)) {
        others++;
        continue;
      }
      // What another property's value would be put in for stays a name.
      String value = isSecret(name) ? REDACTED : LOGIN.matcher(conf.getRaw(name)).replaceAll("…@");
      lines.put(name, name + " = " + value + "   # " + source.replaceFirst(".*/", ""));
    }
    return """
        %s

        %s further properties that were set are not of the committer, and are left out.
        """
        .formatted(String.join("\n", lines.values()), others);
  }

  private String source(String name) {
    String[] sources = conf.getPropertySources(name);
    return sources == null ? "?" : sources[sources.length - 1];
  }

  private boolean isShown(String name) {
    return name.startsWith(S3A)
        ? isOfS3A(name)
        : name.startsWith(COMMITTER)
            ? !unknown.contains(name)
            : OTHERS.stream().anyMatch(name::startsWith);
  }

  /** One that Hadoop declares, for all buckets or for one, whose name may have dots. */
  private boolean isOfS3A(String name) {
    if (!name.startsWith(OF_BUCKET)) {
      return known.contains(name.substring(S3A.length()));
    }
    for (int dot = name.indexOf('.', OF_BUCKET.length());
        dot > 0;
        dot = name.indexOf('.', dot + 1)) {
      if (known.contains(name.substring(dot + 1))) {
        return true;
      }
    }
    return false;
  }

  private static boolean isSecret(String name) {
    String lower = name.toLowerCase(Locale.ROOT);
    return SECRET.matcher(lower).find() && !CLASS.matcher(lower).find();
  }

  /**
   * A text that a command has printed, without login details and without any secret that is set.
   */
  String clean(String text) {
    String clean = S3Paths.withoutLogin(text);
    for (String secret : secrets()) {
      clean = clean.replace(secret, REDACTED);
    }
    return clean;
  }

  /** Of the whole configuration and of the environment, the longest first. */
  private List<String> secrets() {
    List<String> secrets = new ArrayList<>();
    for (Map.Entry<String, String> property : conf) {
      if (isSecret(property.getKey()) && !source(property.getKey()).endsWith(DEFAULTS)) {
        secrets.add(conf.getRaw(property.getKey()));
      }
    }
    System.getenv()
        .forEach(
            (name, value) -> {
              if (isSecret(name)) {
                secrets.add(value);
              }
            });
    secrets.removeIf(COMMON_WORD.asMatchPredicate());
    secrets.sort(Comparator.comparingInt(String::length).reversed());
    return secrets;
  }
}
