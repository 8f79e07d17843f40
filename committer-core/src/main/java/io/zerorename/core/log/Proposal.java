package io.zerorename.core.log;

import static java.util.Objects.requireNonNull;

import java.util.List;

/**
 * A plan that somebody has written down to have it decided.
 *
 * @param id tells the proposals of one job apart, of which at most one is decided
 * @param parts the documents that hold the plan, in order
 */
public record Proposal(String id, List<Part> parts) {
  /**
   * A document.
   *
   * @param name among the records of the destination
   * @param sha256 of its bytes, in hexadecimal
   */
  public record Part(String name, String sha256) {
    public Part {
      requireNonNull(name, "name");
      requireNonNull(sha256, "sha256");
    }
  }

  public Proposal {
    requireNonNull(id, "id");
    parts = List.copyOf(parts);
    if (parts.isEmpty()) {
      throw new IllegalArgumentException("proposal " + id + " has no part");
    }
  }

  public List<String> names() {
    return parts.stream().map(Part::name).toList();
  }
}
