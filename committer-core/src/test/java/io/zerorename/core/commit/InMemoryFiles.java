package io.zerorename.core.commit;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;

/** The state of a cluster file system in memory; it renames and refuses as HDFS does. */
public final class InMemoryFiles {
  @SuppressWarnings("ArrayRecordComponent")
  private record Node(Path path, Optional<byte[]> content, long modified) {
    boolean isDirectory() {
      return content.isEmpty();
    }
  }

  private static final AtomicLong CLOCK = new AtomicLong(System.currentTimeMillis());

  private final AtomicReference<Duration> ahead = new AtomicReference<>(Duration.ZERO);

  /** The clock of this machine, which never goes back, and the time that has passed besides. */
  private long now() {
    return CLOCK.updateAndGet(time -> Math.max(time, System.currentTimeMillis()))
        + ahead.get().toMillis();
  }

  /** Sets the file system's clock forward. */
  public void pass(Duration time) {
    ahead.accumulateAndGet(time, Duration::plus);
  }

  /** By their paths as text: to make or to compare paths is most of what a simulation does. */
  private final NavigableMap<String, Node> nodes = new TreeMap<>();

  private void put(Path path, Optional<byte[]> content) {
    nodes.put(path.toString(), new Node(path, content, now()));
  }

  private NavigableMap<String, Node> below(Path directory) {
    String name = directory.toString();
    String prefix = name.endsWith("/") ? name : name + "/";
    return nodes.subMap(prefix, false, prefix + Character.MAX_VALUE, false);
  }

  public synchronized void create(Path file, boolean overwrite) throws IOException {
    if (nodes.containsKey(file.toString()) && !overwrite) {
      throw new FileAlreadyExistsException(file.toString());
    }
    mkdirs(file.getParent());
    put(file, Optional.of(new byte[0]));
  }

  public synchronized void write(Path file, byte[] content) throws IOException {
    get(file);
    put(file, Optional.of(content));
  }

  private Node get(Path path) throws FileNotFoundException {
    Node node = nodes.get(path.toString());
    if (node == null) {
      throw new FileNotFoundException(path + " does not exist");
    }
    return node;
  }

  public synchronized byte[] read(Path file) throws IOException {
    return get(file)
        .content()
        .orElseThrow(() -> new FileNotFoundException(file + " is a directory"));
  }

  public synchronized FileStatus status(Path path) throws IOException {
    return status(get(path));
  }

  private static FileStatus status(Node node) {
    return new FileStatus(
        node.content().map(content -> content.length).orElse(0),
        node.isDirectory(),
        1,
        1,
        node.modified(),
        node.path());
  }

  public synchronized FileStatus[] list(Path path) throws IOException {
    if (!get(path).isDirectory()) {
      return new FileStatus[] {status(path)};
    }
    List<FileStatus> children = new ArrayList<>();
    int start = path.toString().length() + 1;
    for (Map.Entry<String, Node> child : below(path).entrySet()) {
      if (child.getKey().indexOf('/', start) < 0) {
        children.add(status(child.getValue()));
      }
    }
    return children.toArray(FileStatus[]::new);
  }

  public synchronized boolean rename(Path source, Path target) {
    Node moved = nodes.get(source.toString());
    Node parent = nodes.get(target.getParent().toString());
    if (moved == null
        || nodes.containsKey(target.toString())
        || parent == null
        || !parent.isDirectory()) {
      return false;
    }
    if (moved.isDirectory()) {
      throw new UnsupportedOperationException("no directory is renamed: " + source);
    }
    nodes.remove(source.toString());
    nodes.put(target.toString(), new Node(target, moved.content(), moved.modified()));
    return true;
  }

  public synchronized boolean delete(Path path) {
    below(path).clear();
    return nodes.remove(path.toString()) != null;
  }

  public synchronized boolean mkdirs(Path directory) throws IOException {
    for (Path path = directory; path != null; path = path.getParent()) {
      Node node = nodes.get(path.toString());
      if (node != null) {
        if (!node.isDirectory()) {
          throw new FileAlreadyExistsException(path + " is a file");
        }
        // So are those above it.
        return true;
      }
      put(path, Optional.empty());
    }
    return true;
  }

  /** Every file and directory with a digest of its content. */
  public synchronized List<String> snapshot() {
    return nodes.entrySet().stream()
        .map(
            entry ->
                entry.getKey()
                    + entry.getValue().content().map(it -> ":" + Arrays.hashCode(it)).orElse("/"))
        .toList();
  }
}
