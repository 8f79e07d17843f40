package io.zerorename.testing.sparksuites;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.zerorename.testing.sparksuites.TestRun.Requests;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** What all suites did, for people and programs, in a file that is whole after each suite. */
final class Results {
  private final Path file;
  private final List<Suite> suites = new ArrayList<>();

  Results(Path file) {
    this.file = file;
  }

  /** One suite, as the file names its parts. */
  private record Suite(
      String version,
      String suite,
      long passed,
      List<String> lost,
      List<String> stoodAside,
      List<String> excluded,
      List<String> failedWithBoth,
      Requests requests) {}

  void add(String suite, Comparison comparison, Requests requests) throws IOException {
    suites.add(
        new Suite(
            SuiteList.sparkVersion(),
            suite,
            comparison.passed(),
            comparison.lost(),
            comparison.stoodAside(),
            comparison.excluded().stream().sorted().toList(),
            comparison.failedWithBoth(),
            requests));
    new ObjectMapper()
        .enable(SerializationFeature.INDENT_OUTPUT)
        .writeValue(file.toFile(), Map.of("suites", suites));
  }
}
