package io.zerorename.core.log;

import io.zerorename.core.document.VersionedJson;
import java.util.List;
import org.apache.hadoop.fs.Path;

/**
 * What a marker of an entry says for people.
 *
 * @param files of the entry
 * @param bytes in those files
 * @param replaced old objects that it replaces
 * @param lost files that will never be visible
 */
public record EndNote(int files, long bytes, int replaced, List<Path> lost) {
  static final VersionedJson JSON =
      new VersionedJson("marker of an entry's end", 2, "It was changed after the entry had ended.");

  /** Says nothing of files. */
  public static final EndNote NOTHING = new EndNote(0, 0, 0, List.of());

  public EndNote {
    lost = List.copyOf(lost);
  }

  public static EndNote of(CommitPlan plan, List<Path> lost) {
    return new EndNote(plan.fileCount(), plan.bytes(), plan.replacedCount(), lost);
  }
}
