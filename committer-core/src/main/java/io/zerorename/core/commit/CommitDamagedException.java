package io.zerorename.core.commit;

import io.zerorename.core.commit.EntryExecutor.Outcome;
import java.io.IOException;
import java.util.Optional;

/**
 * A job whose commit was decided and cannot be completed: uploads have vanished from the store, by
 * a lifecycle rule or because another program aborted them. Every other file of the job is visible,
 * and this process has deleted no old file.
 */
public final class CommitDamagedException extends IOException {
  private static final int NAMED = 5;

  final transient OpenCommit commit;

  /**
   * @param commit an overwrite that was halted and is left to an operator, or a job that was
   *     executed without the lost files
   */
  CommitDamagedException(OpenCommit commit) {
    super(
        ("ZR-1101: %s is committed and damaged: %s of its %s files are lost, because their uploads"
                + " have vanished from the store, among them %s. The others are visible, and this"
                + " attempt deleted no old file. A lifecycle rule for incomplete uploads that is shorter than"
                + " the job, fs.s3a.multipart.purge, fs.s3a.directory.operations.purge.uploads or"
                + " another committer may have removed them. Look at the data before you run it"
                + " again.%s")
            .formatted(
                commit.plan().job().description(),
                commit.result().lost().size(),
                commit.plan().fileCount(),
                commit.result().lost().stream().limit(NAMED).toList(),
                commit.result().outcome() == Outcome.HALTED
                    ? " To end it without them: "
                        + RecoveryAdvice.of(commit.plan().job())
                        + " --give-up"
                    : ""));
    this.commit = commit;
  }

  /**
   * The commit, where it was executed without the lost files: an engine with a metastore registers
   * its partitions, because the other files are visible, and then finishes it.
   */
  public Optional<OpenCommit> executed() {
    return Optional.of(commit).filter(it -> it.result().outcome() == Outcome.EXECUTED);
  }
}
