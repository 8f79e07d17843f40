package io.zerorename.core.commit;

import static java.util.Objects.requireNonNull;

import java.util.List;

/**
 * A plan that somebody has written down to have it decided.
 *
 * @param id tells the proposals of one job apart, of which at most one is decided
 * @param parts the documents that hold the plan, in order
 */
record Proposal(String id, List<Part> parts) {
  /**
   * A document.
   *
   * @param name among the records of the destination
   * @param sha256 of its bytes, in hexadecimal
   */
  record Part(String name, String sha256) {
    Part {
      requireNonNull(name, "name");
      requireNonNull(sha256, "sha256");
    }
  }

  Proposal {
    requireNonNull(id, "id");
    parts = List.copyOf(parts);
    if (parts.isEmpty()) {
      throw new IllegalArgumentException("proposal " + id + " has no part");
    }
  }

  List<String> names() {
    return parts.stream().map(Part::name).toList();
  }
}
