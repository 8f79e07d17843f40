package io.zerorename.hive.commit;

import io.zerorename.core.document.MalformedDocumentException;
import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.DirectorySet;
import io.zerorename.core.log.LogEntry;
import io.zerorename.core.log.LogTail;
import io.zerorename.core.log.OldObject;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.store.ObjectSummary;
import io.zerorename.hive.metastore.FileTotals;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hive.ql.metadata.Hive;
import org.apache.hadoop.hive.ql.metadata.HiveException;
import org.apache.hadoop.hive.ql.metadata.Table;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Files that lie where an INSERT INTO creates partitions, before its commit. A dropped partition
 * may have left them, or a run that has failed; those of a job that has yet to register the
 * partition are no such files.
 *
 * <p>The order of the steps is what makes that sure: the directories are listed, then the log is,
 * and then the metastore is asked which of them it does not know. A commit whose files the first
 * step has shown is in the log; if it has ended there, the metastore knows the directory. Spark and
 * MapReduce do so after that or not at all, and to files in the directory of an unknown partition
 * happens what Hive's own path does to them.
 *
 * @param replaced those that it deletes, as Hive's MoveTask would
 * @param partitions the names of the partitions in whose directories these lie
 * @param kept number and size of the others, by directory
 */
record LeftFiles(List<OldObject> replaced, List<String> partitions, Map<Path, FileTotals> kept) {
  private static final Logger LOG = LoggerFactory.getLogger(LeftFiles.class);

  static final LeftFiles NONE = new LeftFiles(List.of(), List.of(), Map.of());

  /** What the committer puts into the names of files, and Hive does not. */
  private static final Pattern JOB_ID =
      Pattern.compile("\\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}");

  /** The clock of a store, and the times of its objects, may be whole seconds. */
  private static final Duration CLOCK_STEP = Duration.ofSeconds(1);

  LeftFiles {
    partitions = List.copyOf(partitions);
    replaced = List.copyOf(replaced);
    kept = Map.copyOf(kept);
  }

  /**
   * Finds them, and what of them Hive would replace: its MoveTask deletes the directory of a
   * partition that rows have chosen and the metastore does not know ({@code Hive.moveFile}). In one
   * that the statement names it replaces files of equal names, because its staging directory is in
   * there. One request for each directory where all are empty.
   *
   * @param names of the partitions that the metastore has not known, with their places
   * @param hive says which of some it knows now: a commit that has ended meanwhile has added its
   *     own
   */
  static LeftFiles of(
      CommitWork work,
      Configuration conf,
      ObjectStores stores,
      CommitLog log,
      Map<String, Path> names,
      Hive hive,
      Optional<Table> table)
      throws IOException, HiveException {
    if (work.overwrites() || names.isEmpty()) {
      // An overwrite lists all that it replaces.
      return NONE;
    }
    Map<Path, String> places = new HashMap<>();
    names.forEach((name, place) -> places.put(place, name));
    Map<Path, List<ObjectSummary>> found =
        FileTotals.objectsIn(stores, work.settings(conf), places.keySet());
    if (found.isEmpty()) {
      return NONE;
    }
    Map<Path, List<ObjectSummary>> old = old(found, work.begun(), stores, log);
    if (!old.isEmpty()) {
      hive.getPartitionsByNames(
              table.orElseThrow(), old.keySet().stream().map(places::get).toList())
          .forEach(known -> old.remove(names.get(known.getName())));
    }
    Set<String> written = work.isDynamic() || old.isEmpty() ? Set.of() : writtenNames(work, conf);
    List<OldObject> replaced = new ArrayList<>();
    Set<String> partitions = new HashSet<>();
    Map<Path, FileTotals> kept = new HashMap<>();
    found.forEach(
        (place, objects) -> {
          List<ObjectSummary> rest = new ArrayList<>(objects);
          for (ObjectSummary object : old.getOrDefault(place, List.of())) {
            if (object.hasEtag() && isReplaced(work, place, object, written)) {
              rest.remove(object);
              partitions.add(places.get(place));
              replaced.add(
                  new OldObject(
                      new Path(place, "/"), object.key(), object.etag(), object.lastModified()));
            }
          }
          kept.put(place, FileTotals.ofObjects(rest));
        });
    return new LeftFiles(replaced, List.copyOf(partitions), kept);
  }

  /**
   * Of the objects that a listing has shown those that were there before the job began, in
   * directories to which no open entry of the log writes. One request, and two for each open entry
   * that may write there.
   *
   * @param listed the objects, by their directories
   * @param begun when the job began that wants to replace what is left, by this machine's clock
   * @return the same without the others; no directory of which none is left; nothing where an open
   *     entry cannot be read, which may write anywhere
   */
  static Map<Path, List<ObjectSummary>> old(
      Map<Path, List<ObjectSummary>> listed, Instant begun, ObjectStores stores, CommitLog log)
      throws IOException {
    Set<Path> awaited;
    try {
      awaited = awaited(listed.keySet(), log);
    } catch (MalformedDocumentException e) {
      LOG.warn(
          "ZR-1210: {} keeps all files that lie in new partitions, because an open entry of it"
              + " cannot be read and may have written them",
          log.location(),
          e);
      return new HashMap<>();
    }
    Map<Path, List<ObjectSummary>> left = new HashMap<>();
    for (Map.Entry<Path, List<ObjectSummary>> directory : listed.entrySet()) {
      Instant latest = stores.forPath(directory.getKey()).now();
      Instant before = latest.minus(Duration.between(begun, Instant.now())).plus(CLOCK_STEP);
      List<ObjectSummary> old =
          directory.getValue().stream().filter(it -> !it.lastModified().isAfter(before)).toList();
      boolean isAwaited = awaited.stream().anyMatch(it -> overlap(it, directory.getKey()));
      if (!isAwaited && !old.isEmpty()) {
        left.put(directory.getKey(), old);
      }
    }
    return left;
  }

  /** The directories that commits change which have not ended. */
  private static Set<Path> awaited(Set<Path> directories, CommitLog log) throws IOException {
    LogTail tail = log.tail();
    SortedSet<Long> open = log.overlapping(tail.open(), new DirectorySet(directories), tail);
    Set<Path> awaited = new HashSet<>();
    for (long number : open) {
      Optional<LogEntry> entry = log.read(number, tail);
      if (entry.filter(it -> it.kind().commits()).isPresent()) {
        awaited.addAll(log.plan(entry.get()).changedDirectories());
      }
    }
    return awaited;
  }

  private static boolean overlap(Path one, Path other) {
    return ObjectKeys.isAtOrBelow(one, other) || ObjectKeys.isAtOrBelow(other, one);
  }

  private static boolean isReplaced(
      CommitWork work, Path place, ObjectSummary object, Set<String> written) {
    String below = object.key().substring(ObjectKeys.prefixOf(place).length());
    return work.isDynamic() || written.contains(JOB_ID.matcher(below).replaceFirst(""));
  }

  /** The names that the statement's files would have in Hive: those of their manifests. */
  private static Set<String> writtenNames(CommitWork work, Configuration conf) throws IOException {
    FileSystem scratch = work.output().staging().getFileSystem(conf);
    Set<String> names = new HashSet<>();
    for (Path manifests : work.branches().isEmpty() ? work.manifests(scratch) : List.<Path>of()) {
      // A statement without rows may have made none.
      if (scratch.exists(manifests)) {
        for (FileStatus manifest : scratch.listStatus(manifests)) {
          names.add(manifest.getPath().getName());
        }
      }
    }
    return names;
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
