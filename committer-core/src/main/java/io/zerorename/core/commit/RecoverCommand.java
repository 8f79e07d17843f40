package io.zerorename.core.commit;

import static java.util.stream.Collectors.joining;

import io.zerorename.core.log.OutputJob;
import io.zerorename.core.store.ObjectKeys;

/** The command that repairs a commit, for messages. */
final class RecoverCommand {
  private RecoverCommand() {}

  static String of(OutputJob job) {
    return "zerorename recover "
        + job.roots().stream()
            .filter(root -> !ObjectKeys.isAtOrBelow(root, job.destination()))
            .map(root -> "--also " + root + " ")
            .collect(joining())
        + job.destination();
  }
}
