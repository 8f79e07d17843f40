package io.zerorename.core.commit;

import io.zerorename.core.parallel.Workers;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.store.ObjectSummary;
import io.zerorename.core.store.StoreException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.util.functional.RemoteIterators;

/**
 * Lists what lies in several directories. Neighbours are listed together, with everything that lies
 * between them, as long as that takes fewer requests than to list each.
 *
 * @param roots nothing that lies outside of them is listed together
 */
public record GroupedListing(ObjectStores stores, List<Path> roots, Visitor visitor) {

  /** Of two, a listing that is abandoned would cost as much as it can save. */
  private static final int SMALLEST_GROUP = 3;

  /** One request for the directories together, and one more for each so many of them. */
  private static final int DIRECTORIES_PER_REQUEST = 32;

  /** These requests can only be sent one after the other. */
  private static final int MOST_REQUESTS = 32;

  /** Takes an object, and the one of the directories to be listed in which it lies. */
  @FunctionalInterface
  public interface Visitor {
    /** Several threads may call it. */
    void found(Path directory, ObjectSummary object) throws IOException;
  }

  /** An object, and the one of the directories to be listed in which it lies. */
  private record Found(Path directory, ObjectSummary object) {}

  /** Visits each object in each of the directories in which it lies. */
  public void visit(Collection<Path> directories, Workers workers) throws IOException {
    Map<Path, List<Path>> groups = directories.stream().collect(Collectors.groupingBy(this::root));
    Queue<Path> alone = new ConcurrentLinkedQueue<>();
    workers.forEach(
        groups.values(),
        group -> {
          // Where a right is missing to list them together, each may be all the same.
          Optional<List<Found>> found =
              group.size() < SMALLEST_GROUP
                  ? Optional.empty()
                  : StoreException.orElse(
                      StoreException.Kind.ACCESS_DENIED,
                      Optional.empty(),
                      () -> listTogether(group));
          if (found.isEmpty()) {
            alone.addAll(group);
          }
          for (Found it : found.orElse(List.of())) {
            visitor.found(it.directory(), it.object());
          }
        });
    workers.forEach(alone, this::list);
  }

  /** The same for directories that are replaced, but not twice where one lies in another. */
  void visitReplaced(Set<Path> directories, Workers workers) throws IOException {
    visit(
        directories.stream().filter(it -> !isListedWithAnother(it, directories)).toList(), workers);
  }

  /** Whether a listing of another replaced directory shows all that lies in this one. */
  private static boolean isListedWithAnother(Path directory, Set<Path> directories) {
    Path child = directory;
    for (Path parent = directory.getParent(); parent != null; parent = parent.getParent()) {
      if (directories.contains(parent) && !Overwrite.isHidden(child.getName())) {
        return true;
      }
      child = parent;
    }
    return false;
  }

  private Path root(Path directory) {
    return roots.stream()
        .filter(root -> ObjectKeys.isAtOrBelow(directory, root))
        // All of a bucket is no neighbourhood.
        .filter(root -> !ObjectKeys.prefixOf(root).isEmpty())
        .findFirst()
        .orElse(directory);
  }

  /** Empty where it would take too many requests. */
  private Optional<List<Found>> listTogether(List<Path> group) throws IOException {
    NavigableMap<String, Path> directories = new TreeMap<>();
    group.forEach(directory -> directories.put(ObjectKeys.prefixOf(directory), directory));
    Path any = group.get(0);
    List<Found> found = new ArrayList<>();
    RemoteIterator<ObjectSummary> objects =
        stores
            .forPath(any)
            .listObjects(commonPrefix(directories.firstKey(), directories.lastKey()));
    int keys = 0;
    while (objects.hasNext()) {
      ObjectSummary object = objects.next();
      String key = object.key();
      for (int slash = key.indexOf('/'); slash >= 0; slash = key.indexOf('/', slash + 1)) {
        Path directory = directories.get(key.substring(0, slash + 1));
        if (directory != null) {
          found.add(new Found(directory, object));
        }
      }
      keys++;
      if (keys % ObjectStore.PAGE_SIZE == 0
          && !isWorthOneMore(
              keys / ObjectStore.PAGE_SIZE,
              directories.headMap(key, true).size(),
              directories.size())) {
        return Optional.empty();
      }
    }
    return Optional.of(found);
  }

  /**
   * Whether to ask on. That keys come in order is relied on for the estimate only.
   *
   * @param sent requests until now
   * @param passed directories whose listing has at least begun
   */
  private static boolean isWorthOneMore(int sent, int passed, int directories) {
    int most = Math.min(MOST_REQUESTS, 1 + directories / DIRECTORIES_PER_REQUEST);
    // Where all of them were met, the next answer may be empty.
    return passed == directories
        ? sent <= most
        : sent < most && passed * most >= directories * sent;
  }

  /** Of two prefixes, and of all that lie between them. */
  private static String commonPrefix(String first, String last) {
    int length = 0;
    while (length < Math.min(first.length(), last.length())
        && first.charAt(length) == last.charAt(length)) {
      length++;
    }
    String common = first.substring(0, length);
    boolean halfCharacter = length > 0 && Character.isHighSurrogate(common.charAt(length - 1));
    return halfCharacter ? common.substring(0, common.lastIndexOf('/') + 1) : common;
  }

  private void list(Path directory) throws IOException {
    RemoteIterators.foreach(
        stores.forPath(directory).listObjects(ObjectKeys.prefixOf(directory)),
        object -> visitor.found(directory, object));
  }
}
