package io.zerorename.results;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.testing.docs.SourceTree;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * Runs last, reads the reports of all modules, and prints what was skipped and what took longest. A
 * module that ran less than it must fails the build: a wrong pattern or tag would otherwise pass by
 * running nothing.
 */
class ResultsTest {
  private static final int SLOWEST = 20;

  private static final boolean THOROUGH =
      System.getProperty("zerorename.tests.tier").equals("thorough");
  private static final String PART = System.getProperty("zerorename.tests.part");

  /** A pattern, by which a person runs some cells of the matrix. */
  private static final String CHOSEN_CELLS = System.getProperty("zerorename.tests.cells");

  private record Timed(String module, Report report) {}

  @Test
  void everyModuleHasRunItsTests() {
    // Maven's time has no fractions, and is that of the begin of the build.
    Instant begin = Instant.parse(System.getProperty("zerorename.tests.begin"));
    Map<String, Integer> cases = new TreeMap<>();
    List<Timed> reports = new ArrayList<>();
    Map<String, Integer> skipped = new TreeMap<>();
    List<String> withoutReport = new ArrayList<>();
    List<ExpectedModule> expected = ExpectedModule.of(PART, THOROUGH);
    for (ExpectedModule module : expected) {
      List<Report> ofModule = Report.of(SourceTree.root().resolve(module.directory()), begin);
      TestClasses.of(module, PART, THOROUGH).stream()
          .filter(name -> ofModule.stream().noneMatch(report -> report.isOf(name)))
          .forEach(withoutReport::add);
      for (Report report : ofModule) {
        reports.add(new Timed(module.directory(), report));
        cases.merge(module.directory(), report.cases(), Integer::sum);
        for (String reason : report.skipped()) {
          String line = module.directory() + ", " + report.simpleName() + ": " + reason;
          skipped.merge(line, 1, Integer::sum);
        }
      }
      if (!cases.containsKey(module.directory()) && module.mayBeLeftOut()) {
        skipped.put(module.directory() + ": " + module.reasonToLeaveOut(), module.cases(THOROUGH));
      }
    }
    print(cases, reports, skipped);

    assertThat(skipped.keySet()).noneMatch(line -> line.endsWith(Report.NO_REASON));
    assertThat(expected)
        .as("modules of part %s in this tier; parts need -Pthorough", PART)
        .isNotEmpty();
    if (!CHOSEN_CELLS.equals(".*")) {
      assertThat(reports)
          .as("classes that have run cells of the matrix that match %s", CHOSEN_CELLS)
          .anyMatch(
              it -> it.report().testClass().endsWith("MatrixTest") && it.report().cases() > 0);
      System.out.println("Only the cells " + CHOSEN_CELLS + " were run: this proves nothing.");
      return;
    }
    assertThat(withoutReport)
        .as("test classes that this build has not run; with -rf it runs only a part of them")
        .isEmpty();
    assertThat(expected)
        .allSatisfy(
            module ->
                assertThat(cases.getOrDefault(module.directory(), 0))
                    .as("test cases that were run in " + module.directory())
                    .satisfiesAnyOf(
                        run -> assertThat(run).isGreaterThanOrEqualTo(module.cases(THOROUGH)),
                        run -> assertThat(run == 0 && module.mayBeLeftOut()).isTrue()));
    if (THOROUGH) {
      System.out.printf(
          "Part %s: %d minutes, %d test cases, %d skipped%n",
          PART,
          Duration.between(begin, Instant.now()).toMinutes(),
          cases.values().stream().mapToInt(Integer::intValue).sum(),
          skipped.values().stream().mapToInt(Integer::intValue).sum());
    }
  }

  private static void print(
      Map<String, Integer> cases, List<Timed> reports, Map<String, Integer> skipped) {
    System.out.printf(
        "Test cases: %d, in classes: %d, tier: %s, part: %s%n",
        cases.values().stream().mapToInt(Integer::intValue).sum(),
        reports.size(),
        THOROUGH ? "thorough" : "quick",
        PART);
    cases.forEach(
        (module, count) ->
            System.out.printf(
                "  %5d cases, %5.0f s  %s%n",
                count,
                reports.stream()
                    .filter(it -> it.module().equals(module))
                    .mapToDouble(it -> it.report().seconds())
                    .sum(),
                module));
    System.out.printf("The %d slowest test classes:%n", SLOWEST);
    reports.stream()
        .sorted(Comparator.comparingDouble((Timed it) -> -it.report().seconds()))
        .limit(SLOWEST)
        .forEach(
            it ->
                System.out.printf(
                    "  %5.0f s  %s, %s%n",
                    it.report().seconds(), it.module(), it.report().simpleName()));
    System.out.println("Skipped, and why:");
    skipped.forEach((line, count) -> System.out.printf("  %5d cases  %s%n", count, line));
  }
}
