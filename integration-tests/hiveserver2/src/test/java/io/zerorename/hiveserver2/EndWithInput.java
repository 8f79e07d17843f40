package io.zerorename.hiveserver2;

import java.io.IOException;

/** Lets this process end with the one that has started it, of which it reads the input's end. */
final class EndWithInput {
  private EndWithInput() {}

  /** From now on. */
  static void start() {
    Thread watch = new Thread(EndWithInput::await, "end-with-input");
    watch.setDaemon(true);
    watch.start();
  }

  private static void await() {
    try {
      while (System.in.read() >= 0) {
        // Nobody sends anything.
      }
    } catch (IOException e) {
      System.err.println("the process that has started this one is gone: " + e);
    }
    Runtime.getRuntime().halt(0);
  }
}
