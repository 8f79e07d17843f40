package io.zerorename.core.commit;

import io.zerorename.core.commit.Fault.Kind;
import java.util.List;
import java.util.Set;

/** Something that can be run again and again, while another call goes wrong each time. */
interface FaultScenario {
  /** One run. */
  interface Run {
    /**
     * Runs and checks.
     *
     * @return how many steps there were in which something could go wrong
     * @throws AssertionError with all that is needed to repeat it
     */
    int run();

    /** Whether the call was made that this fault is planned for. */
    boolean hasStruck(Fault fault);
  }

  /** What can go wrong with a call, so that it shows something. */
  Set<Kind> kinds();

  Run begin(List<Fault> faults);
}
