package io.zerorename.hiveserver2;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.function.Consumer;

/** Lets this process end with the one that has started it, of which it reads the input's end. */
final class EndWithInput {
  private EndWithInput() {}

  /** From now on. */
  static void start() {
    start(line -> {});
  }

  /** From now on, and takes each line of the input. */
  static void start(Consumer<String> taker) {
    Thread watch = new Thread(() -> await(taker), "end-with-input");
    watch.setDaemon(true);
    watch.start();
  }

  private static void await(Consumer<String> taker) {
    try {
      BufferedReader input = new BufferedReader(new InputStreamReader(System.in, UTF_8));
      String line;
      while ((line = input.readLine()) != null) {
        taker.accept(line);
      }
    } catch (IOException e) {
      System.err.println("the process that has started this one is gone: " + e);
    }
    Runtime.getRuntime().halt(0);
  }
}
