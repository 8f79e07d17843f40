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

  /**
   * @param command that ends the commit without the lost files; empty where it has ended
   */
  CommitDamagedException(CommitPlan plan, List<Path> lost, Optional<String> command) {
    super(
        ("ZR-1101: %s is committed and damaged: %s of its %s files are lost, because their uploads"
                + " have vanished from the store, among them %s. The others are visible, and no old"
                + " file was deleted. A lifecycle rule for incomplete uploads that is shorter than"
                + " the job, fs.s3a.multipart.purge, fs.s3a.directory.operations.purge.uploads or"
                + " another committer may have removed them. Look at the data before you run it"
                + " again.%s")
            .formatted(
                plan.description(),
                lost.size(),
                plan.fileCount(),
                lost.stream().limit(NAMED).map(Path::toString).toList(),
                command.map(it -> " To end it without them: " + it + " --give-up").orElse("")));
    this.lost = List.copyOf(lost);
  }

  List<Path> lost() {
    return lost;
  }
}
