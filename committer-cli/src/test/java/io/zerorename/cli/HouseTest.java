package io.zerorename.cli;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.conditions.ArchConditions;
import com.tngtech.archunit.lang.syntax.ArchRuleDefinition;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The packages of all modules together, and the picture of them in docs/design/architecture.md. */
class HouseTest {
  private static final String ROOT = "io.zerorename.";

  private static final JavaClasses ALL =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .withImportOption(location -> !location.contains("tests"))
          .importPackages(
              ROOT + "core", ROOT + "magic", ROOT + "hive", ROOT + "spark", ROOT + "cli");

  @Test
  void packagesFormNoCycle() {
    SlicesRuleDefinition.slices()
        .matching("io.zerorename.(**)")
        .should()
        .beFreeOfCycles()
        .check(ALL);
  }

  /** What they use of Hadoop and of an engine; S3A is behind the core. */
  @ParameterizedTest
  @CsvSource({
    "magic, org.apache.parquet.hadoop.. io.zerorename.magic..",
    "spark, scala.. org.apache.spark.. io.zerorename.spark.. io.zerorename.magic.fs.."
        + " io.zerorename.magic.job.."
  })
  void aBindingKnowsNoOtherEngineAndNotS3a(String module, String of) {
    List<String> known = new ArrayList<>(List.of(of.split(" ")));
    known.addAll(
        List.of(
            "java..",
            "io.zerorename.core..",
            "org.apache.hadoop..",
            "org.slf4j..",
            "com.fasterxml.jackson.."));
    ArchRuleDefinition.classes()
        .that()
        .resideInAPackage(ROOT + module + "..")
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(known.toArray(String[]::new))
        .andShould(
            ArchConditions.not(
                ArchConditions.dependOnClassesThat(
                    JavaClass.Predicates.resideInAnyPackage(
                        "org.apache.hadoop.hive..", "org.apache.hadoop.fs.s3a.."))))
        .check(ALL);
  }

  /** Without the arrows that follow from others, as the picture has it. */
  @Test
  void theArchitecturePageDrawsThePackagesAsTheyAre() throws IOException {
    Map<String, Set<String>> uses = dependencies();
    Set<String> expected = new TreeSet<>();
    uses.forEach(
        (from, all) ->
            all.stream()
                .filter(to -> all.stream().noneMatch(it -> !it.equals(to) && reaches(it, to, uses)))
                .forEach(to -> expected.add(from + " --> " + to)));
    String page = Files.readString(Path.of("../docs/design/architecture.md"));
    Set<String> drawn = new TreeSet<>();
    String packages = page.substring(page.indexOf("## Packages"));
    Matcher arrows = Pattern.compile("(?m)^  (\\S+)\\s+--> (\\S+)$").matcher(packages);
    while (arrows.find()) {
      drawn.add(arrows.group(1) + " --> " + arrows.group(2));
    }
    assertThat(drawn)
        .as("arrows of the picture; it is right as\n%s", expected.stream().collect(joining("\n  ")))
        .isEqualTo(expected);
    assertThat(uses.keySet()).allMatch(name -> page.contains("| `" + name + "` |"));
  }

  /** By names below the root. */
  private static Map<String, Set<String>> dependencies() {
    Map<String, Set<String>> uses = new TreeMap<>();
    for (JavaClass type : ALL) {
      Set<String> ofPackage = uses.computeIfAbsent(nameOf(type), it -> new TreeSet<>());
      type.getDirectDependenciesFromSelf().stream()
          .map(it -> it.getTargetClass().getBaseComponentType())
          .filter(it -> it.getPackageName().startsWith(ROOT))
          .map(HouseTest::nameOf)
          .filter(name -> !name.equals(nameOf(type)))
          .forEach(ofPackage::add);
    }
    return uses;
  }

  private static boolean reaches(String from, String to, Map<String, Set<String>> uses) {
    Set<String> direct = uses.getOrDefault(from, Set.of());
    return direct.contains(to) || direct.stream().anyMatch(it -> reaches(it, to, uses));
  }

  private static String nameOf(JavaClass type) {
    return type.getPackageName().substring(ROOT.length());
  }
}
