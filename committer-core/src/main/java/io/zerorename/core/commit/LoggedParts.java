package io.zerorename.core.commit;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.util.List;

/** The documents of a plan that was written down: the first in memory, the others when needed. */
final class LoggedParts implements CommitPlan.Parts {
  /** A plan of this many documents is not read again by the process that has made it. */
  static final int KEPT = 3;

  /** Reads one document. */
  @FunctionalInterface
  interface Reader {
    PlanPart read(Proposal.Part part) throws IOException;
  }

  private final List<Proposal.Part> documents;
  private final List<PlanPart> first;
  private final Reader reader;

  LoggedParts(List<Proposal.Part> documents, List<PlanPart> first, Reader reader) {
    this.documents = List.copyOf(documents);
    this.first = List.copyOf(first);
    this.reader = requireNonNull(reader, "reader");
  }

  @Override
  public int count() {
    return documents.size();
  }

  @Override
  public PlanPart get(int index) throws IOException {
    return index < first.size() ? first.get(index) : reader.read(documents.get(index));
  }
}
