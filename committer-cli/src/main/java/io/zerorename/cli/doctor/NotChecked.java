package io.zerorename.cli.doctor;

import java.io.IOException;

/** Ends a check that cannot be made from here, or is about what is not in use; it says why. */
final class NotChecked extends IOException {
  private static final long serialVersionUID = 1L;

  NotChecked(String why) {
    super(why);
  }
}
