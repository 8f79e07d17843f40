package io.zerorename.core.commit;

import java.io.IOException;
import java.util.Optional;

/**
 * Keeps the one decision about a job. Of any number of processes that decide, the first wins, and
 * all learn what it decided.
 */
public interface DecisionLog {
  /**
   * Decides, unless that was done before.
   *
   * @return the decision that stands, which may be another than {@code proposal}
   * @throws IOException where it is not known whether the proposal was accepted; {@link #read}
   *     tells
   */
  Decision decide(Decision proposal) throws IOException;

  /** The decision that stands, if there is one. */
  Optional<Decision> read() throws IOException;

  /** Where a person finds the decision. */
  String location();
}
