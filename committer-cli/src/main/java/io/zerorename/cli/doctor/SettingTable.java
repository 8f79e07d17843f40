package io.zerorename.cli.doctor;

import io.zerorename.hive.fallback.PlatformVersion;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;

/**
 * Judges the settings of a file by the table in settings.txt, which says what its columns are.
 *
 * @param bucket whose own values take precedence
 * @param prefix before each property in the file
 */
record SettingTable(Configuration settings, Optional<String> bucket, String prefix, String file) {
  private static final String TABLE = "settings.txt";

  /** A check of the table, of the settings in one kind of file. */
  record Section(String check, String file, String fine, String unused, List<List<String>> rows) {}

  /** The checks of one kind of file. */
  static List<Section> of(String file) {
    List<Section> sections = new ArrayList<>();
    for (String line : text().lines().toList()) {
      List<String> cells = Stream.of((line + " | |").split("\\|", -1)).map(String::strip).toList();
      if (line.startsWith("= ")) {
        String name = cells.get(0).substring(2);
        sections.add(
            new Section(name, cells.get(1), cells.get(2), cells.get(3), new ArrayList<>()));
      } else if (!line.isEmpty() && !line.startsWith("#")) {
        sections.get(sections.size() - 1).rows().add(cells);
      }
    }
    return sections.stream().filter(it -> it.file().equals(file)).toList();
  }

  private static String text() {
    try (InputStream in = SettingTable.class.getResourceAsStream(TABLE)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** What is wrong by the rows of a check. */
  Finding judge(Section section) {
    if (!section.unused().isEmpty()
        && section.rows().stream().allMatch(row -> value(row.get(1)).isEmpty())) {
      return Finding.notChecked(section.unused());
    }
    return Finding.worst(
        section.rows().stream()
            .filter(row -> Stream.of(row.get(0).split(" ", -1)).allMatch(this::applies))
            .flatMap(row -> judge(row).stream())
            .toList(),
        section.fine().replace("{}", value(section.rows().get(0).get(1))));
  }

  /** A condition: empty, or a property with = or != and a value. */
  private boolean applies(String condition) {
    String[] sides = condition.split("!?=", 2);
    return condition.isEmpty()
        || value(sides[0]).equalsIgnoreCase(sides[1]) != condition.contains("!=");
  }

  private Optional<Finding> judge(List<String> row) {
    String property = row.get(1);
    String set = value(property);
    String value = set.isEmpty() ? row.get(2) : set;
    String must = row.get(3);
    if (holds(value, must)) {
      return Optional.empty();
    }
    String first = must.replaceFirst("^\\+", "").split(",", 2)[0];
    String wanted = must.startsWith("+") && !value.isEmpty() ? value + "," + first : first;
    String remedy = row.get(6).isEmpty() ? property + "=" + wanted : row.get(6);
    String[] sides = remedy.split("=", 2);
    return Optional.of(
        new Finding(
            Outcome.valueOf(row.get(4)),
            "%s is %s: %s"
                .formatted(name(property), value.isEmpty() ? "not set" : value, row.get(5)),
            sides.length < 2
                ? List.of()
                : List.of(Finding.set(prefix + name(sides[0]), sides[1], file))));
  }

  private static boolean holds(String value, String must) {
    if (must.startsWith(">=")) {
      PlatformVersion least = PlatformVersion.of(must.substring(2)).orElseThrow();
      return PlatformVersion.of(value)
          .filter(it -> !it.isBelow(least.major(), least.minor()))
          .isPresent();
    }
    List<String> named = JarSearch.listed(must.replaceFirst("^[+!]", ""), ",");
    return must.startsWith("+")
        ? JarSearch.listed(value, ",").containsAll(named)
        : named.stream().anyMatch(value::equalsIgnoreCase) != must.startsWith("!");
  }

  private String value(String property) {
    return settings.getTrimmed(name(property), "");
  }

  /** The bucket's own property where it is set, or else that for all buckets. */
  private String name(String property) {
    return bucket
        .map(it -> property.replaceFirst("^(fs\\.s3a|zerorename)\\.", "$1.bucket." + it + "."))
        .filter(own -> !settings.getTrimmed(own, "").isEmpty())
        .orElse(property);
  }
}
