package io.zerorename.core.config;

import static java.util.Objects.requireNonNull;

import java.util.Optional;

/**
 * A key under the committer's prefix that the committer does not read.
 *
 * @param name as it was set
 * @param problem what is wrong with it, in words that follow the name
 * @param file the configuration file in which it was set last, where it was one
 */
public record UnknownKey(String name, String problem, Optional<String> file) {
  public UnknownKey {
    requireNonNull(name, "name");
    requireNonNull(problem, "problem");
    requireNonNull(file, "file");
  }

  /** One line for a person. */
  public String message() {
    return "ZR-3203: %s %s and has no effect; docs/configuration.md lists the keys.%s"
        .formatted(name, problem, file.map(path -> " It is set in " + path + ".").orElse(""));
  }
}
