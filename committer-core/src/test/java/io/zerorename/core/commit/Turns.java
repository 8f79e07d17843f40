package io.zerorename.core.commit;

import java.util.List;

/** Decides in what order simulated processes make their calls, and what becomes of these. */
interface Turns {
  /** A process, and the call that it is about to make. */
  record Waiting(String process, Calls.Call call) {}

  /** What becomes of a call. */
  enum Fate {
    MADE,
    /** The process is gone, and the call is not made. */
    DIES,
    /** The process gets no answer, and the call takes effect later or never. */
    DELAYED,
    /** The process is gone, and the call takes effect later or never. */
    DIES_DELAYED,
    /** It takes effect, and the process gets no answer. */
    ANSWER_LOST
  }

  /**
   * Called when all processes that have not ended wait.
   *
   * @return the index of the one that goes on
   */
  int next(List<Waiting> waiting, Interleaving processes);

  /** What becomes of the call of the process that was chosen. */
  Fate fate(Waiting chosen, Interleaving processes);
}
