package io.zerorename.hive;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.mapping;
import static java.util.stream.Collectors.toList;

import io.zerorename.core.commit.CommitReport;
import io.zerorename.core.upload.OutputFile;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hive.metastore.utils.MetaStoreServerUtils;

/**
 * What is in the places to which an INSERT was committed, as far as that is known without a look at
 * S3: after an overwrite exactly what it has written, because it has listed and replaced the rest.
 * Files whose names Hive hides are kept by an overwrite, and are not counted by Hive either.
 */
final class CommittedContents {
  private final Map<Path, List<FileStatus>> files;
  private final Set<String> created;
  private final Set<String> uncounted;

  private CommittedContents(
      Map<Path, List<FileStatus>> files, Set<String> created, Set<String> uncounted) {
    this.files = Map.copyOf(files);
    this.created = Set.copyOf(created);
    this.uncounted = Set.copyOf(uncounted);
  }

  /**
   * @param created names of partitions that the metastore did not know before; number and size of
   *     their files are noted when they are added
   */
  static CommittedContents of(CommitWork work, CommitReport report, Set<String> created) {
    // Without its plan nobody knows what an earlier process has replaced.
    if (report.open().isEmpty()) {
      return new CommittedContents(Map.of(), Set.of(), Set.of());
    }
    if (!work.overwrites()) {
      return new CommittedContents(Map.of(), created, Set.of());
    }
    Stream<OutputFile> written =
        StreamSupport.stream(report.open().get().plan().files().spliterator(), false);
    Path destination = work.output().destination();
    return new CommittedContents(
        work.dynamicColumns().isEmpty()
            ? Map.of(destination, written.map(CommittedContents::status).toList())
            : written.collect(
                groupingBy(
                    file -> file.destination().getParent(),
                    mapping(CommittedContents::status, toList()))),
        created,
        Set.of());
  }

  private static FileStatus status(OutputFile file) {
    return new FileStatus(file.length(), false, 1, 0, 0, file.destination());
  }

  /**
   * The same, of whose partitions only these were new; somebody else has added the others.
   *
   * @param withOthers names of partitions that have files of others, too
   */
  CommittedContents ofCreated(Set<String> names, Set<String> withOthers) {
    return new CommittedContents(files, names, withOthers);
  }

  /** Names of partitions of whose rows nothing may be said. */
  Set<String> uncounted() {
    return uncounted;
  }

  /** What a place holds, where nothing but what was written can be there. */
  Optional<List<FileStatus>> written(Path location) {
    return Optional.ofNullable(files.get(location));
  }

  /** The same, with files of places that were looked at. */
  CommittedContents with(Map<Path, List<FileStatus>> seen) {
    Map<Path, List<FileStatus>> all = new HashMap<>(files);
    all.putAll(seen);
    return new CommittedContents(all, created, uncounted);
  }

  /** Whether the files of a place can be told. */
  boolean areKnown(Path location, String partition) {
    return files.containsKey(location) || created.contains(partition);
  }

  /**
   * Notes number and size of the files of a place that is known.
   *
   * @param partition the partition's name, "" for the table
   * @param parameters those of the table or the partition
   */
  void note(Path location, String partition, Map<String, String> parameters) {
    List<FileStatus> found = files.get(location);
    if (found != null) {
      MetaStoreServerUtils.populateQuickStats(found, parameters);
    } else if (!created.contains(partition)) {
      throw new IllegalStateException("The files in " + location + " are not known.");
    }
  }
}
