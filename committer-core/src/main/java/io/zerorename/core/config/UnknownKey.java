package io.zerorename.core.config;

import static java.util.Objects.requireNonNull;

import java.util.Optional;

/**
 * A key under the committer's prefix that the committer does not read.
 *
 * @param name as it was set
 * @param problem what is wrong with it, in words that follow the name
 * @param nearest the key that was probably meant, if any is like it
 * @param file the configuration file in which it was set last, where it was one
 */
public record UnknownKey(
    String name, String problem, Optional<String> nearest, Optional<String> file) {
  public UnknownKey {
    requireNonNull(name, "name");
    requireNonNull(problem, "problem");
    requireNonNull(nearest, "nearest");
    requireNonNull(file, "file");
  }

  /** One line for a person. */
  public String message() {
    return "ZR-3203: "
        + name
        + " "
        + problem
        + nearest.map(key -> "; did you mean " + key + "?").orElse(" and has no effect.")
        + file.map(path -> " It is set in " + path + ".").orElse("");
  }
}
