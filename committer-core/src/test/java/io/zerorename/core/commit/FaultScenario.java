package io.zerorename.core.commit;

import io.zerorename.core.commit.Fault.Kind;
import io.zerorename.testing.InMemoryObjectStore.Variant;
import java.util.List;
import java.util.Set;

/** Something that can be run again and again, while another call goes wrong each time. */
interface FaultScenario {
  /** What can go wrong with a call, so that it shows something. */
  Set<Kind> kinds();

  Variant variant();

  FaultRun begin(List<Fault> faults);
}
