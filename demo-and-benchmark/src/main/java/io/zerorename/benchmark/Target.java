package io.zerorename.benchmark;

/**
 * What the product must reach, and whether it did.
 *
 * @param name what is compared with what
 * @param wanted in a person's words
 * @param measured the same
 */
record Target(String name, String wanted, String measured, Status status) {
  /** Whether it was reached. */
  enum Status {
    MET("met"),
    NOT_MET("not met"),
    NOT_MEASURED("not measured");

    private final String words;

    Status(String words) {
      this.words = words;
    }

    String words() {
      return words;
    }
  }
}
