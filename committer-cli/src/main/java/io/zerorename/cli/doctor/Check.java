package io.zerorename.cli.doctor;

import java.io.IOException;

/**
 * One check of {@code doctor}.
 *
 * @param name by which the documentation explains it; it does not change
 */
public record Check(String name, Test test) {
  /** Finds out whether something is as it should be. */
  @FunctionalInterface
  interface Test {
    /**
     * @throws NotChecked where it does not apply here
     * @throws IOException where it cannot be checked; the message says why
     */
    Finding run() throws IOException;
  }

  /** Runs the check. A failure does not stop the other checks. */
  public Finding find() {
    try {
      return test.run();
    } catch (NotChecked e) {
      return Finding.notChecked(e.getMessage());
    } catch (IOException | RuntimeException | LinkageError e) {
      return Finding.notChecked(
          "the check failed: " + (e.getMessage() == null ? e : e.getMessage()));
    }
  }
}
