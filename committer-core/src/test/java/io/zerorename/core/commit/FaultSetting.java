package io.zerorename.core.commit;

import io.zerorename.core.commit.Fault.Kind;
import io.zerorename.testing.InMemoryObjectStore.Variant;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** Where a job runs in which calls go wrong. */
record FaultSetting(JobKind job, String store, Variant variant) implements FaultScenario {
  @Override
  public Set<Kind> kinds() {
    Set<Kind> kinds = EnumSet.allOf(Kind.class);
    if (!job.inlines()) {
      // Whatever else comes late finds its upload gone, or another name.
      kinds.removeIf(kind -> kind.isLate() && kind.overwrites());
    }
    return kinds;
  }

  @Override
  public FaultRun begin(List<Fault> faults) {
    return new JobRun(this, faults);
  }

  @Override
  public String toString() {
    return job + " on " + store;
  }
}
