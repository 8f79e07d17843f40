package io.zerorename.core.commit;

/** The command that repairs a commit, for messages. */
final class RecoverCommand {
  private RecoverCommand() {}

  static String of(OutputJob job) {
    return "zerorename recover "
        + job.roots().stream().map(Object::toString).findFirst().orElse("<destination>");
  }
}
