package io.zerorename.magic.fs;

import io.zerorename.core.upload.MultipartUploads;
import io.zerorename.core.upload.UploadStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Queue;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.ParentNotDirectoryException;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathIsNotEmptyDirectoryException;

/**
 * The files and directories of one session. Objects in the bucket are neither shown nor requested.
 * Paths are fully qualified. Thread-safe.
 */
final class PendingFiles {
  final Path root;
  private final UnaryOperator<Path> destinations;
  private final MultipartUploads uploads;
  private final int keptEnds;
  private final long openedAt = System.currentTimeMillis();

  /** Files, and directories as empty, of which the root is always there. */
  private final NavigableMap<Path, Optional<PendingFile>> entries = new TreeMap<>();

  /** The files that were closed last, in that order. */
  private final Queue<PendingFile> withTail = new ArrayDeque<>();

  /** Why no more files can be created; null while they can. */
  private String ended;

  /**
   * @param root of all paths
   * @param destinations maps the path of a file to that at which its object will appear
   * @param keptEnds of how many closed files the ends are kept
   */
  PendingFiles(
      Path root, UnaryOperator<Path> destinations, MultipartUploads uploads, int keptEnds) {
    this.root = root;
    this.destinations = destinations;
    this.uploads = uploads;
    this.keptEnds = keptEnds;
    entries.put(root, Optional.empty());
  }

  /** Creates a file and its missing parents, and aborts the upload of an earlier file there. */
  PendingFile create(Path path, boolean overwrite, long blockSize) throws IOException {
    checkCreation(path, overwrite);
    // Outside the lock, because it takes the lock of Hadoop's file system cache. An engine that
    // closes a task's file systems holds that one and waits for this one.
    UploadStream upload = uploads.open(destinations.apply(path));
    PendingFile file = new PendingFile(this, path, upload, blockSize);
    try {
      // Before the new upload begins: a session never has two pending uploads of one key. And
      // without the lock, because an abort waits.
      PendingFile.discardAll(put(file, overwrite));
    } catch (IOException | RuntimeException e) {
      upload.fail(e.getMessage());
      throw e;
    }
    return file;
  }

  /** Puts a file in its place, and returns an earlier one there. */
  private synchronized List<PendingFile> put(PendingFile file, boolean overwrite)
      throws IOException {
    checkCreation(file.path, overwrite);
    List<PendingFile> earlier = entries.getOrDefault(file.path, Optional.empty()).stream().toList();
    entries.put(file.path, Optional.of(file));
    addDirectories(file.path.getParent());
    return earlier;
  }

  private synchronized void checkCreation(Path path, boolean overwrite) throws IOException {
    if (ended != null) {
      throw new IOException("ZR-2214: cannot create " + path + ": " + ended);
    }
    if (isDirectory(path)) {
      throw new FileAlreadyExistsException("ZR-2215: " + path + " is a directory of this session");
    }
    checkNoFileAbove(path);
    if (!overwrite && isFile(path)) {
      throw new FileAlreadyExistsException(
          "ZR-2216: "
              + path
              + " was already written in this session. Create it with overwrite, or delete it");
    }
  }

  synchronized PendingFile file(Path path) throws FileNotFoundException {
    if (isDirectory(path)) {
      throw new FileNotFoundException("ZR-2223: " + path + " is a directory");
    }
    if (!isFile(path)) {
      throw new FileNotFoundException(
          ("ZR-2224: %s does not exist in this session. The pending file system shows only what"
                  + " the session wrote; open %s to read the bucket")
              .formatted(path, destinations.apply(path)));
    }
    return entries.get(path).orElseThrow();
  }

  synchronized FileStatus status(Path path) throws FileNotFoundException {
    return isDirectory(path) ? new FileStatus(0, true, 1, 0, openedAt, path) : file(path).status();
  }

  /** The children of a directory, or the file itself. */
  synchronized FileStatus[] list(Path path) throws FileNotFoundException {
    if (!isDirectory(path)) {
      return new FileStatus[] {file(path).status()};
    }
    List<FileStatus> children = new ArrayList<>();
    for (Path child : entries.keySet()) {
      if (path.equals(child.getParent())) {
        children.add(status(child));
      }
    }
    return children.toArray(FileStatus[]::new);
  }

  synchronized void mkdirs(Path path) throws IOException {
    if (isFile(path)) {
      throw new FileAlreadyExistsException("ZR-2217: " + path + " is a file of this session");
    }
    checkNoFileAbove(path);
    addDirectories(path);
  }

  private boolean isDirectory(Path path) {
    return entries.containsKey(path) && !isFile(path);
  }

  private boolean isFile(Path path) {
    return entries.getOrDefault(path, Optional.empty()).isPresent();
  }

  /**
   * Removes a file, or a directory with everything below, and aborts the uploads. The root itself
   * stays. After the end of the session nothing is deleted, because job commit may have the files;
   * with Hadoop's own committer a delete at the file system's close comes after the files are
   * moved.
   *
   * @return whether the path existed
   */
  boolean delete(Path path, boolean recursive) throws IOException {
    Optional<List<PendingFile>> deleted = remove(path, recursive);
    PendingFile.discardAll(deleted.orElse(List.of()));
    return deleted.isPresent();
  }

  /** The files that it has removed; empty where nothing is at the path. */
  private synchronized Optional<List<PendingFile>> remove(Path path, boolean recursive)
      throws IOException {
    if (ended != null || !entries.containsKey(path)) {
      return Optional.empty();
    }
    String below = path.isRoot() ? path.toString() : path + Path.SEPARATOR;
    List<Path> removed =
        new ArrayList<>(
            entries.keySet().stream()
                .filter(it -> !it.equals(path) && it.toString().startsWith(below))
                .toList());
    if (!recursive && !removed.isEmpty()) {
      throw new PathIsNotEmptyDirectoryException(path.toString());
    }
    if (!path.isRoot()) {
      removed.add(path);
    }
    return Optional.of(removed.stream().map(entries::remove).flatMap(Optional::stream).toList());
  }

  /**
   * Must be called after each close of a file. A writer reads a footer right after the close; the
   * ends of all files of a task would not fit into its memory.
   */
  void closed(PendingFile file) {
    synchronized (withTail) {
      withTail.add(file);
      if (withTail.size() > keptEnds) {
        withTail.remove().upload.forgetTail();
      }
    }
  }

  synchronized List<PendingFile> all() {
    return entries.values().stream().flatMap(Optional::stream).toList();
  }

  /** Ends the creation and the deletion of files, if that was not done, and returns all files. */
  synchronized List<PendingFile> end(String reason) {
    if (ended == null) {
      ended = reason;
    }
    return all();
  }

  synchronized boolean isEnded() {
    return ended != null;
  }

  private void addDirectories(Path lowest) {
    for (Path path = lowest; path != null; path = path.getParent()) {
      entries.putIfAbsent(path, Optional.empty());
    }
  }

  private void checkNoFileAbove(Path path) throws ParentNotDirectoryException {
    for (Path parent = path.getParent(); parent != null; parent = parent.getParent()) {
      if (isFile(parent)) {
        throw new ParentNotDirectoryException(
            "ZR-2218: cannot create " + path + ": " + parent + " is a file of this session");
      }
    }
  }
}
