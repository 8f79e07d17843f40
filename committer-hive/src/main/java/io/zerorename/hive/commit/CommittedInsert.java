package io.zerorename.hive.commit;

import io.zerorename.core.commit.CommitReport;
import io.zerorename.hive.metastore.FileTotals;
import io.zerorename.hive.metastore.InsertEvents;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hive.ql.metadata.Partition;
import org.apache.hadoop.hive.ql.metadata.Table;

/**
 * What the commit of an INSERT has left, for the tasks behind it.
 *
 * @param files number and size of all that Hive counts in a place, where they are known without a
 *     request to S3: after an overwrite what it has written, because it has replaced the rest
 * @param uncounted names of partitions whose number of rows is not known, because they have files
 *     of others
 * @param before the statistics that the metastore had before the commit
 * @param table as it was right before the commit; empty for a directory and for a table that is
 *     created behind the commit
 * @param existing partitions that the statement writes and that others have registered
 * @param created partitions that it writes and has registered itself
 * @param events for listeners of the metastore
 * @param superseded whether a later commit has replaced all of it, or another job has committed its
 *     run, so that Hive has nothing to do
 */
record CommittedInsert(
    CommitReport report,
    Map<Path, FileTotals> files,
    Set<String> uncounted,
    Map<String, Map<String, String>> before,
    Optional<Table> table,
    List<Partition> existing,
    List<Partition> created,
    InsertEvents events,
    boolean superseded) {
  CommittedInsert {
    files = Map.copyOf(files);
    uncounted = Set.copyOf(uncounted);
    existing = List.copyOf(existing);
    created = List.copyOf(created);
  }

  /** What another job has left that has committed the run: there is nothing to count. */
  static CommittedInsert repeated(CommitReport report, Optional<Table> table) {
    return new CommittedInsert(
        report, Map.of(), Set.of(), Map.of(), table, List.of(), List.of(), InsertEvents.NONE, true);
  }

  /** All partitions that the statement writes and that the metastore has. */
  List<Partition> partitions() {
    return Stream.concat(existing.stream(), created.stream()).toList();
  }

  /**
   * Whether another process has completed the commit: its files may since have been replaced, or
   * lie beside files of others.
   */
  boolean isCompletedElsewhere() {
    return report.open().isEmpty();
  }

  /** Whether another process may yet add rows to the statistics that this commit has replaced. */
  boolean isBesideOthers() {
    return report.decidedBefore()
        || report.open().filter(it -> !it.entry().follows().isEmpty()).isPresent();
  }
}
