package io.zerorename.cli.doctor;

import io.zerorename.core.config.FixedSetting;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * Judges the settings of a file by the table in settings.txt, which says what its columns are.
 *
 * @param settings the value of a property, trimmed; "" where it is not set
 * @param bucket whose own values take precedence
 * @param prefix before each property in the file
 */
record SettingTable(
    UnaryOperator<String> settings, Optional<String> bucket, String prefix, String file) {
  private static final String TABLE = "settings.txt";

  /** S3A's settings that interfere with the committer's uploads. */
  List<Check> ofS3A() {
    return List.of(
        check("multipart-uploads", "multipart uploads are enabled"),
        check("upload-purge", "S3A aborts no uploads by itself"),
        check("encryption", "no client-side encryption"));
  }

  private Check check(String name, String fine) {
    return new Check(name, () -> judge(name, fine));
  }

  /**
   * What is wrong by the rows of a check.
   *
   * @param fine what is said if nothing is
   */
  Finding judge(String check, String fine) throws IOException {
    List<Finding> findings = new ArrayList<>();
    try (InputStream in = SettingTable.class.getResourceAsStream(TABLE)) {
      new String(in.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .map(line -> Stream.of((line + "|").split("\\|", -1)).map(String::strip).toList())
          .filter(row -> row.get(0).equals(check))
          .filter(row -> Stream.of(row.get(1).split(" ", -1)).allMatch(this::applies))
          .forEach(row -> judge(row).ifPresent(findings::add));
    }
    return Finding.worst(findings, fine);
  }

  /**
   * The same for settings that have to have one value.
   *
   * @param list "+" where it is an element of a list, or ""
   */
  Finding judge(List<FixedSetting> needed, String list, String why, String fine) {
    return Finding.worst(
        needed.stream()
            .map(it -> List.of("", "", it.key(), "", list + it.value(), "WRONG", why, ""))
            .flatMap(row -> judge(row).stream())
            .toList(),
        fine);
  }

  /** A condition: empty, or a property with = or != and a value. */
  private boolean applies(String condition) {
    String[] sides = condition.split("!?=", 2);
    return condition.isEmpty()
        || value(sides[0]).equalsIgnoreCase(sides[1]) != condition.contains("!=");
  }

  private Optional<Finding> judge(List<String> row) {
    String set = value(row.get(2));
    String value = set.isEmpty() ? row.get(3) : set;
    String must = row.get(4);
    if (holds(value, must)) {
      return Optional.empty();
    }
    String first = must.replaceFirst("^\\+", "").split(",", 2)[0];
    String wanted = must.startsWith("+") && !value.isEmpty() ? value + "," + first : first;
    String remedy = row.get(7).isEmpty() ? row.get(2) + "=" + wanted : row.get(7);
    String[] sides = remedy.split("=", 2);
    return Optional.of(
        new Finding(
            Outcome.valueOf(row.get(5)),
            "%s is %s: %s"
                .formatted(name(row.get(2)), value.isEmpty() ? "not set" : value, row.get(6)),
            sides.length < 2
                ? List.of()
                : List.of(Remedy.set(prefix + name(sides[0]), sides[1], file))));
  }

  private static boolean holds(String value, String must) {
    List<String> named = JarSearch.listed(must.replaceFirst("^[+!]", ""), ",");
    return must.startsWith("+")
        ? JarSearch.listed(value, ",").containsAll(named)
        : named.stream().anyMatch(value::equalsIgnoreCase) != must.startsWith("!");
  }

  private String value(String property) {
    return settings.apply(name(property));
  }

  /** The bucket's own property where it is set, or else that for all buckets. */
  private String name(String property) {
    return bucket
        .map(it -> property.replaceFirst("^(fs\\.s3a|zerorename)\\.", "$1.bucket." + it + "."))
        .filter(own -> !settings.apply(own).isEmpty())
        .orElse(property);
  }
}
