package io.zerorename.hive.commit;

import io.zerorename.core.log.OldObject;
import io.zerorename.hive.metastore.FileTotals;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.fs.Path;

/**
 * Files that lie where an INSERT INTO creates partitions, before its commit.
 *
 * @param replaced those that it deletes, as Hive's MoveTask would
 * @param partitions the names of the partitions in whose directories these lie
 * @param kept number and size of the others, by directory
 */
record LeftFiles(List<OldObject> replaced, List<String> partitions, Map<Path, FileTotals> kept) {
  static final LeftFiles NONE = new LeftFiles(List.of(), List.of(), Map.of());

  LeftFiles {
    partitions = List.copyOf(partitions);
    replaced = List.copyOf(replaced);
    kept = Map.copyOf(kept);
  }

  /**
   * For the user, after the commit.
   *
   * @param table its name
   */
  Optional<String> message(String table) {
    if (replaced.isEmpty()) {
      return Optional.empty();
    }
    OldObject first = replaced.get(0);
    return Optional.of(
        ("ZR-5240: %s has new partitions whose directories held %s files, which a dropped partition"
                + " or a failed run has left. They were replaced, as Hive does; the first was %s")
            .formatted(table, replaced.size(), new Path(first.bucket(), "/" + first.key())));
  }
}
