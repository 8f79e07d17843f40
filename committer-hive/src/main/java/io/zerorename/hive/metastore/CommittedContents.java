package io.zerorename.hive.metastore;

import io.zerorename.core.commit.CommitReport;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.util.functional.RemoteIterators;

/**
 * The files in the places to which an INSERT was committed, as far as they are known without a
 * request to S3: after an overwrite exactly what it has written, because it has replaced the rest.
 * An overwrite keeps files whose names Hive hides, and Hive does not count them either.
 *
 * @param files of each place where they are known
 * @param written by the INSERT, at each place where that is known
 * @param created names of partitions that the metastore did not know before; number and size of
 *     their files are noted when they are added
 * @param uncounted names of partitions whose number of rows is not known
 */
public record CommittedContents(
    Map<Path, FileTotals> files,
    Map<Path, FileTotals> written,
    Set<String> created,
    Set<String> uncounted) {
  /** Of a commit of which nothing is known. */
  public static final CommittedContents NONE =
      new CommittedContents(Map.of(), Map.of(), Set.of(), Set.of());

  public CommittedContents {
    files = Map.copyOf(files);
    written = Map.copyOf(written);
    created = Set.copyOf(created);
    uncounted = Set.copyOf(uncounted);
  }

  /**
   * What an INSERT has left at its destination.
   *
   * @param dynamic whether rows choose the partitions, each of them a directory below the
   *     destination
   */
  public static CommittedContents of(
      Path destination,
      boolean overwrites,
      boolean dynamic,
      CommitReport report,
      Set<String> created)
      throws IOException {
    // Another process has completed the commit, and its plan is gone.
    if (report.open().isEmpty()) {
      return NONE;
    }
    if (!overwrites && created.isEmpty()) {
      return new CommittedContents(Map.of(), Map.of(), created, Set.of());
    }
    Map<Path, FileTotals> written = new HashMap<>();
    if (!dynamic) {
      written.put(destination, FileTotals.NONE);
    }
    RemoteIterators.foreach(
        report.open().get().plan().uploads(),
        file ->
            written.merge(
                dynamic ? file.destination().getParent() : destination,
                new FileTotals(1, file.length()),
                FileTotals::and));
    return new CommittedContents(overwrites ? written : Map.of(), written, created, Set.of());
  }

  /**
   * The same, with only these partitions as new; other processes have added the others.
   *
   * @param withOthers names of partitions that have files of others, too
   */
  public CommittedContents ofCreated(Set<String> names, Set<String> withOthers) {
    return new CommittedContents(files, written, names, withOthers);
  }

  /** The same, with the files of places that were listed. */
  public CommittedContents with(Map<Path, FileTotals> seen) {
    Map<Path, FileTotals> all = new HashMap<>(files);
    all.putAll(seen);
    return new CommittedContents(all, written, created, uncounted);
  }

  /** Whether the files of a place are known. */
  public boolean areKnown(Path location, String partition) {
    return files.containsKey(location) || created.contains(partition);
  }

  /**
   * Notes number and size of the files of a place that is known.
   *
   * @param partition the partition's name, "" for the table
   * @param parameters those of the table or the partition
   */
  void note(Path location, String partition, Map<String, String> parameters) {
    FileTotals found = files.get(location);
    if (found != null) {
      found.note(parameters);
    } else if (!created.contains(partition)) {
      throw new IllegalStateException("The files in " + location + " are not known.");
    }
  }
}
