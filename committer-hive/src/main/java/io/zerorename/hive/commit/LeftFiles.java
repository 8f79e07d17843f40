package io.zerorename.hive.commit;

import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.OldObject;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.store.ObjectSummary;
import io.zerorename.hive.metastore.FileTotals;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hive.ql.metadata.HiveException;
import org.apache.hadoop.hive.ql.metadata.Partition;

/**
 * Files that lie where an INSERT INTO creates partitions, before its commit.
 *
 * @param replaced those that it deletes, as Hive's MoveTask would
 * @param partitions the names of the partitions in whose directories these lie
 * @param kept number and size of the others, by directory
 */
record LeftFiles(List<OldObject> replaced, List<String> partitions, Map<Path, FileTotals> kept) {
  static final LeftFiles NONE = new LeftFiles(List.of(), List.of(), Map.of());

  /** What the committer puts into the names of files, and Hive does not. */
  private static final Pattern JOB_ID =
      Pattern.compile("\\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}");

  LeftFiles {
    partitions = List.copyOf(partitions);
    replaced = List.copyOf(replaced);
    kept = Map.copyOf(kept);
  }

  /** Asks the metastore. */
  @FunctionalInterface
  interface Known {
    List<Partition> among(List<String> names) throws HiveException;
  }

  /**
   * Finds them, and what of them Hive would replace: its MoveTask deletes the directory of a
   * partition that rows have chosen and the metastore does not know ({@code Hive.moveFile}). In one
   * that the statement names it replaces files of equal names, because its staging directory is in
   * there. One request for each directory where all are empty.
   *
   * @param names of the partitions that the metastore has not known, with their places
   * @param known which of some it knows now: a commit that has ended meanwhile has added its own
   */
  static LeftFiles of(
      CommitWork work,
      Configuration conf,
      ObjectStores stores,
      CommitLog log,
      Map<String, Path> names,
      Known known)
      throws IOException, HiveException {
    Map<Path, String> places = new HashMap<>();
    names.forEach((name, place) -> places.put(place, name));
    Map<Path, List<ObjectSummary>> found =
        FileTotals.objectsIn(stores, work.settings(conf), places.keySet());
    if (found.isEmpty()) {
      return NONE;
    }
    Map<Path, List<ObjectSummary>> old =
        new HashMap<>(new Leftovers(stores, log, work.begun()).among(found));
    if (!old.isEmpty()) {
      Set<String> now = new HashSet<>();
      known
          .among(old.keySet().stream().map(places::get).toList())
          .forEach(partition -> now.add(partition.getName()));
      old.keySet().removeIf(place -> now.contains(places.get(place)));
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
