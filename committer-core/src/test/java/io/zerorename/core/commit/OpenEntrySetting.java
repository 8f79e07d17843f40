package io.zerorename.core.commit;

import io.zerorename.core.commit.Fault.Kind;
import io.zerorename.core.commit.JobsScript.Role;
import io.zerorename.testing.InMemoryObjectStore.Variant;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * What comes behind an open entry whose executor has died, and has its calls go wrong.
 *
 * @param open {@link Role#APPEND} or {@link Role#OVERWRITE}: the job that decided the open entry
 * @param diesBefore which of its changes of the table its executor has died before. It completes
 *     four uploads, and deletes what it replaces
 * @param behind a job, a statement of an engine, or an operator who gives the open entry up
 * @param whole whether that concerns all directories of the open entry, or two of the four
 */
record OpenEntrySetting(
    Role open, int diesBefore, Role behind, boolean whole, String store, Variant variant)
    implements FaultScenario {
  @Override
  public Set<Kind> kinds() {
    return EnumSet.allOf(Kind.class);
  }

  @Override
  public FaultRun begin(List<Fault> faults) {
    return new OpenEntryRun(this, faults);
  }

  @Override
  public String toString() {
    return behind
        + (whole ? "" : " of a part")
        + " behind an open "
        + open
        + " that died before change "
        + diesBefore
        + " on "
        + store;
  }
}
