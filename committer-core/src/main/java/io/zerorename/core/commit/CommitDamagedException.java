package io.zerorename.core.commit;

import io.zerorename.core.log.CommitPlan;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.fs.Path;

/**
 * A job whose commit was decided and cannot be completed: uploads have vanished from the store, by
 * a lifecycle rule or because another program aborted them. Every other file of the job is visible,
 * and no old file was deleted.
 */
public final class CommitDamagedException extends IOException {
  private static final int NAMED = 5;

  private final transient List<Path> lost;
  private final transient Optional<OpenCommit> executed;

  private CommitDamagedException(
      CommitPlan plan, List<Path> lost, Optional<String> command, Optional<OpenCommit> executed) {
    super(
        ("ZR-1101: %s is committed and damaged: %s of its %s files are lost, because their uploads"
                + " have vanished from the store, among them %s. The others are visible, and no old"
                + " file was deleted. A lifecycle rule for incomplete uploads that is shorter than"
                + " the job, fs.s3a.multipart.purge, fs.s3a.directory.operations.purge.uploads or"
                + " another committer may have removed them. Look at the data before you run it"
                + " again.%s")
            .formatted(
                plan.job().description(),
                lost.size(),
                plan.fileCount(),
                lost.stream().limit(NAMED).map(Path::toString).toList(),
                command.map(it -> " To end it without them: " + it + " --give-up").orElse("")));
    this.lost = List.copyOf(lost);
    this.executed = executed;
  }

  /** Of an overwrite, which is left to an operator. */
  static CommitDamagedException halted(CommitPlan plan, List<Path> lost) {
    return new CommitDamagedException(
        plan, lost, Optional.of(RecoveryAdvice.of(plan.job())), Optional.empty());
  }

  /** Of a job that was executed without them. */
  static CommitDamagedException executed(OpenCommit commit) {
    return new CommitDamagedException(
        commit.plan(), commit.result().lost(), Optional.empty(), Optional.of(commit));
  }

  /**
   * The commit, where it was executed without the lost files: an engine with a metastore registers
   * its partitions, because the other files are visible, and then finishes it.
   */
  public Optional<OpenCommit> executed() {
    return executed;
  }

  List<Path> lost() {
    return lost;
  }
}
