package io.zerorename.testing.sparksuites;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.scalatest.Reporter;
import org.scalatest.events.Event;
import org.scalatest.events.RunAborted;
import org.scalatest.events.RunCompleted;
import org.scalatest.events.SuiteAborted;
import org.scalatest.events.TestCanceled;
import org.scalatest.events.TestFailed;
import org.scalatest.events.TestStarting;
import org.scalatest.events.TestSucceeded;

/** Writes what ScalaTest reports to a file, one line per event: time, kind, test, message. */
public final class TestEvents implements Reporter {
  /** Names the file. */
  static final String FILE = "zerorename.suites.events";

  static final String STARTED = "started";
  static final String PASSED = "passed";
  static final String FAILED = "failed";
  static final String CANCELED = "canceled";
  static final String ABORTED = "aborted";
  static final String COMPLETED = "completed";

  private final Path file = Path.of(System.getProperty(FILE));

  @Override
  public void apply(Event event) {
    if (event instanceof TestStarting it) {
      write(event, STARTED, it.testName(), "");
    } else if (event instanceof TestSucceeded it) {
      write(event, PASSED, it.testName(), "");
    } else if (event instanceof TestFailed it) {
      write(event, FAILED, it.testName(), it.message());
    } else if (event instanceof TestCanceled it) {
      write(event, CANCELED, it.testName(), it.message());
    } else if (event instanceof SuiteAborted it) {
      write(event, ABORTED, "", it.message());
    } else if (event instanceof RunAborted it) {
      write(event, ABORTED, "", it.message());
    } else if (event instanceof RunCompleted) {
      write(event, COMPLETED, "", "");
    }
  }

  private void write(Event event, String kind, String test, String message) {
    String line =
        String.join(
            "\t", String.valueOf(event.timeStamp()), kind, onOneLine(test), onOneLine(message));
    try {
      Files.writeString(
          file, line + "\n", UTF_8, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String onOneLine(String text) {
    return text.replaceAll("[\\t\\r\\n]+", " ");
  }
}
