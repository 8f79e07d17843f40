package io.zerorename.results;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/**
 * What Surefire or Failsafe wrote about one test class.
 *
 * @param seconds of wall-clock time
 * @param cases how many were run, skipped ones not included
 * @param skipped the reason of each case that was skipped
 */
record Report(String testClass, double seconds, int cases, List<String> skipped) {
  static final String NO_REASON = "NO REASON GIVEN";

  /** The reports of a module that were written since a time. */
  static List<Report> of(Path module, Instant begin) {
    List<Report> reports = new ArrayList<>();
    for (String plugin : List.of("surefire", "failsafe")) {
      Path directory = module.resolve("target").resolve(plugin + "-reports");
      if (Files.isDirectory(directory)) {
        try (Stream<Path> files = Files.list(directory)) {
          files
              .filter(file -> file.getFileName().toString().matches("TEST-.*\\.xml"))
              .filter(file -> isSince(file, begin))
              .map(Report::read)
              .forEach(reports::add);
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
      }
    }
    return reports;
  }

  private static boolean isSince(Path file, Instant begin) {
    try {
      return !Files.getLastModifiedTime(file).toInstant().isBefore(begin);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Report read(Path file) {
    Element suite;
    try {
      suite =
          DocumentBuilderFactory.newInstance()
              .newDocumentBuilder()
              .parse(file.toFile())
              .getDocumentElement();
    } catch (Exception e) {
      throw new IllegalStateException("cannot read the test report " + file, e);
    }
    List<String> skipped = new ArrayList<>();
    NodeList cases = suite.getElementsByTagName("testcase");
    for (int i = 0; i < cases.getLength(); i++) {
      Element testCase = (Element) cases.item(i);
      NodeList skips = testCase.getElementsByTagName("skipped");
      if (skips.getLength() > 0) {
        skipped.add(reason((Element) skips.item(0)));
      }
    }
    return new Report(
        suite.getAttribute("name"),
        Double.parseDouble(suite.getAttribute("time").replace(",", "")),
        cases.getLength() - skipped.size(),
        skipped);
  }

  /** What JUnit and AssertJ write where a test gives no reason. */
  private static final Pattern NO_REASON_OF_ITS_OWN =
      Pattern.compile(
          "(Assumption failed: )?assumption is not (met|true|false)|.* is @Disabled"
              + "|[\\w.$]+Exception|Assumption was not met due to:");

  /** JUnit 5's message is an attribute; that of JUnit 4 begins the stack trace. */
  private static String reason(Element skip) {
    String message = skip.getAttribute("message");
    String reason = message.isBlank() ? skip.getTextContent() : message;
    return reason
        .strip()
        .lines()
        .findFirst()
        .map(line -> line.replaceFirst("^[\\w.$]+Exception: ", ""))
        .filter(line -> !NO_REASON_OF_ITS_OWN.matcher(line.strip()).matches())
        .orElse(NO_REASON);
  }

  /** Whether it is of a class or of one nested in it. */
  boolean isOf(String name) {
    return testClass.equals(name)
        || testClass.startsWith(name + "$")
        // With the name of the server, in the part "stores".
        || testClass.startsWith(name + "(");
  }

  String simpleName() {
    return testClass.substring(testClass.lastIndexOf('.') + 1);
  }
}
