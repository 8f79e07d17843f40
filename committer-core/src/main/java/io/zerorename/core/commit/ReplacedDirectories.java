package io.zerorename.core.commit;

import io.zerorename.core.log.PlanPart;
import io.zerorename.core.store.ObjectKeys;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.hadoop.fs.Path;

/**
 * The directories whose files a job is about to replace, and which open commits concern them: those
 * that change one of them, a directory in one of them, or one in which one of them is. What a
 * commit will change is read from what it has proposed, which never changes; where that does not
 * tell all of it, the commit concerns them.
 *
 * <p>A job that has proposed nothing concerns nobody: nothing of it is visible, nobody else can
 * make it so, and what it makes visible itself it decides about later.
 */
final class ReplacedDirectories {
  private final Set<Place> replaced;
  private final Set<Place> above = new HashSet<>();

  /** Names of documents that were read and change other directories only. */
  private final Set<String> apart = new HashSet<>();

  /** A directory by whatever scheme it is written. */
  private record Place(String bucket, String prefix) {
    static Place of(Path directory) {
      return new Place(ObjectKeys.bucketOf(directory), ObjectKeys.prefixOf(directory));
    }
  }

  ReplacedDirectories(Collection<Path> directories) {
    this.replaced = directories.stream().map(Place::of).collect(Collectors.toSet());
    for (Path directory : directories) {
      for (Path it = directory.getParent(); it != null; it = it.getParent()) {
        if (!above.add(Place.of(it))) {
          break;
        }
      }
    }
  }

  /** Those of some open commits that concern the directories. One request per new document. */
  List<OpenJob> concerning(Collection<OpenJob> jobs, CommitLog log) throws IOException {
    List<OpenJob> concerning = new ArrayList<>();
    for (OpenJob open : jobs) {
      if (!replaced.isEmpty() && !isApart(open, log)) {
        concerning.add(open);
      }
    }
    return concerning;
  }

  private boolean isApart(OpenJob open, CommitLog log) throws IOException {
    if (!open.tellsOfAll()) {
      return false;
    }
    for (String name : open.documents()) {
      if (!apart.contains(name)) {
        Optional<PlanPart> part = log.proposedPart(open, name);
        if (part.isEmpty() || changed(part.get()).stream().anyMatch(this::overlaps)) {
          return false;
        }
        apart.add(name);
      }
    }
    return true;
  }

  /** Of a plan that changes nothing the engine may still write what ends it. */
  private static List<Path> changed(PlanPart part) {
    List<Path> directories = part.changedDirectories().toList();
    return directories.isEmpty() ? part.job().roots() : directories;
  }

  /** Whether files in a directory, or below it, may be among those that are replaced. */
  boolean overlaps(Path directory) {
    if (above.contains(Place.of(directory))) {
      return true;
    }
    for (Path it = directory; it != null; it = it.getParent()) {
      if (replaced.contains(Place.of(it))) {
        return true;
      }
    }
    return false;
  }
}
