package io.zerorename.core.commit;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;

/** The state of a cluster file system in memory; it renames and refuses as HDFS does. */
final class InMemoryFiles {
  @SuppressWarnings("ArrayRecordComponent")
  private record Node(Optional<byte[]> content, long modified) {
    boolean isDirectory() {
      return content.isEmpty();
    }
  }

  private static final AtomicLong CLOCK = new AtomicLong(System.currentTimeMillis());

  private final Map<Path, Node> nodes = new TreeMap<>();

  private static Node directory() {
    return new Node(Optional.empty(), CLOCK.get());
  }

  synchronized void create(Path file, boolean overwrite) throws IOException {
    if (nodes.containsKey(file) && !overwrite) {
      throw new FileAlreadyExistsException(file.toString());
    }
    mkdirs(file.getParent());
    nodes.put(file, new Node(Optional.of(new byte[0]), CLOCK.get()));
  }

  synchronized void write(Path file, byte[] content) throws IOException {
    get(file);
    nodes.put(file, new Node(Optional.of(content), CLOCK.get()));
  }

  private Node get(Path path) throws FileNotFoundException {
    Node node = nodes.get(path);
    if (node == null) {
      throw new FileNotFoundException(path + " does not exist");
    }
    return node;
  }

  synchronized byte[] read(Path file) throws IOException {
    return get(file)
        .content()
        .orElseThrow(() -> new FileNotFoundException(file + " is a directory"));
  }

  synchronized FileStatus status(Path path) throws IOException {
    Node node = get(path);
    return new FileStatus(
        node.content().map(content -> content.length).orElse(0),
        node.isDirectory(),
        1,
        1,
        node.modified(),
        path);
  }

  synchronized FileStatus[] list(Path path) throws IOException {
    if (!get(path).isDirectory()) {
      return new FileStatus[] {status(path)};
    }
    List<FileStatus> children = new ArrayList<>();
    for (Path child : nodes.keySet()) {
      if (path.equals(child.getParent())) {
        children.add(status(child));
      }
    }
    return children.toArray(FileStatus[]::new);
  }

  synchronized boolean rename(Path source, Path target) {
    Node parent = nodes.get(target.getParent());
    if (!nodes.containsKey(source)
        || nodes.containsKey(target)
        || parent == null
        || !parent.isDirectory()) {
      return false;
    }
    if (nodes.get(source).isDirectory()) {
      throw new UnsupportedOperationException("no directory is renamed: " + source);
    }
    nodes.put(target, nodes.remove(source));
    return true;
  }

  synchronized boolean delete(Path path) {
    String below = path + "/";
    boolean children = nodes.keySet().removeIf(child -> child.toString().startsWith(below));
    return nodes.remove(path) != null || children;
  }

  synchronized boolean mkdirs(Path directory) throws IOException {
    for (Path path = directory; path != null; path = path.getParent()) {
      Node node = nodes.putIfAbsent(path, directory());
      if (node != null && !node.isDirectory()) {
        throw new FileAlreadyExistsException(path + " is a file");
      }
    }
    return true;
  }

  /** Every file and directory with a digest of its content. */
  synchronized List<String> snapshot() {
    return nodes.entrySet().stream()
        .map(
            entry ->
                entry.getKey()
                    + entry.getValue().content().map(it -> ":" + Arrays.hashCode(it)).orElse("/"))
        .toList();
  }
}
