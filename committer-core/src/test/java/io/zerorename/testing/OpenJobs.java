package io.zerorename.testing;

import io.zerorename.core.recovery.Recovery;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** Jobs whose entries have not ended. */
public final class OpenJobs {
  private OpenJobs() {}

  /** Their ids, as far as they can be read, in the order of the entries. */
  public static List<String> of(Recovery recovery) throws IOException {
    return recovery.openEntries().values().stream()
        .flatMap(Optional::stream)
        .map(entry -> entry.job().id())
        .toList();
  }
}
