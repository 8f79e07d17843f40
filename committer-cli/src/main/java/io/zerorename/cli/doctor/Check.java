package io.zerorename.cli.doctor;

import static java.util.Objects.requireNonNull;

import java.io.IOException;

/**
 * One thing that is looked at.
 *
 * @param name by which the documentation explains it; it does not change
 */
record Check(String name, Look look) {
  /** How it is looked at. */
  @FunctionalInterface
  interface Look {
    /**
     * @throws IOException where it cannot be seen; the message says why
     */
    Finding find() throws IOException;
  }

  Check {
    requireNonNull(name, "name");
    requireNonNull(look, "look");
  }

  /** Looks. That something cannot be seen ends no other check. */
  Finding find() {
    try {
      return look.find();
    } catch (IOException | RuntimeException | LinkageError e) {
      return Finding.notChecked(
          "it cannot be seen: " + (e.getMessage() == null ? e : e.getMessage()));
    }
  }
}
