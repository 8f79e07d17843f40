package io.zerorename.magic.fs;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.store.Failures;
import io.zerorename.core.upload.MultipartUploads;
import io.zerorename.core.upload.OutputFile;
import io.zerorename.core.upload.UploadStream;
import java.io.Closeable;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Queue;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.ParentNotDirectoryException;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathIsNotEmptyDirectoryException;
import org.apache.hadoop.util.functional.ConsumerRaisingIOE;

/**
 * The files and directories of one session. Objects in the bucket are neither shown nor requested.
 * Paths are fully qualified. Thread-safe.
 */
final class PendingFiles {
  /** How many bytes of the ends of closed files are kept, besides those of the last file. */
  static final int MAX_TAILS = 16 << 20;

  private final PendingPaths paths;
  private final MultipartUploads uploads;
  private final Path root;
  private final long openedAt = System.currentTimeMillis();
  private final NavigableMap<Path, PendingFile> files = new TreeMap<>();

  /** The files that were closed last, in that order. */
  private final Queue<WithTail> withTail = new ArrayDeque<>();

  private long tailBytes;

  /** Without the root. */
  private final NavigableSet<Path> directories = new TreeSet<>();

  /** Why no more files can be created; null while they can. */
  private String ended;

  PendingFiles(PendingPaths paths, MultipartUploads uploads) {
    this.paths = requireNonNull(paths, "paths");
    this.uploads = requireNonNull(uploads, "uploads");
    this.root = new Path(paths.root());
  }

  PendingPaths paths() {
    return paths;
  }

  synchronized boolean hasFiles() {
    return !files.isEmpty();
  }

  /** Creates a file and its missing parents, and aborts the upload of an earlier file there. */
  PendingFile create(Path path, boolean overwrite, long blockSize) throws IOException {
    checkCreation(path, overwrite);
    // Outside the lock, because it takes the lock of Hadoop's file system cache. An engine that
    // closes a task's file systems holds that one and waits for this one.
    UploadStream upload = uploads.open(paths.destinationOf(path));
    try {
      return create(path, overwrite, blockSize, upload);
    } catch (IOException | RuntimeException e) {
      try (Closeable afterwards = upload::abort) {
        throw e;
      }
    }
  }

  private synchronized PendingFile create(
      Path path, boolean overwrite, long blockSize, UploadStream upload) throws IOException {
    checkCreation(path, overwrite);
    PendingFile earlier = files.get(path);
    if (earlier != null) {
      // Before the new upload begins: a session never has two pending uploads of one key.
      discardAll(List.of(earlier));
      files.remove(path);
    }
    PendingFile file = new PendingFile(this, path, upload, blockSize);
    files.put(path, file);
    addDirectories(path.getParent());
    return file;
  }

  private synchronized void checkCreation(Path path, boolean overwrite) throws IOException {
    if (ended != null) {
      throw new IOException("ZR-2214: cannot create " + path + ": " + ended);
    }
    if (isDirectory(path)) {
      throw new FileAlreadyExistsException("ZR-2215: " + path + " is a directory of this session");
    }
    checkNoFileAbove(path);
    if (!overwrite && files.containsKey(path)) {
      throw new FileAlreadyExistsException(
          "ZR-2216: "
              + path
              + " was already written in this session. Create it with overwrite, or delete it");
    }
  }

  synchronized PendingFile file(Path path) throws FileNotFoundException {
    PendingFile file = files.get(path);
    if (file == null) {
      if (isDirectory(path)) {
        throw new FileNotFoundException("ZR-2223: " + path + " is a directory");
      }
      throw new FileNotFoundException(
          ("ZR-2224: %s does not exist in this session. The pending file system shows only what"
                  + " the session wrote; open %s to read the bucket")
              .formatted(path, paths.destinationOf(path)));
    }
    return file;
  }

  synchronized FileStatus status(Path path) throws FileNotFoundException {
    return isDirectory(path) ? directoryStatus(path) : file(path).status();
  }

  /** The children of a directory, or the file itself. */
  synchronized FileStatus[] list(Path path) throws FileNotFoundException {
    if (!isDirectory(path)) {
      return new FileStatus[] {file(path).status()};
    }
    List<FileStatus> children = new ArrayList<>();
    directories.stream()
        .filter(directory -> path.equals(directory.getParent()))
        .forEach(directory -> children.add(directoryStatus(directory)));
    files.values().stream()
        .filter(file -> path.equals(file.path().getParent()))
        .forEach(file -> children.add(file.status()));
    return children.toArray(FileStatus[]::new);
  }

  synchronized void mkdirs(Path path) throws IOException {
    if (files.containsKey(path)) {
      throw new FileAlreadyExistsException("ZR-2217: " + path + " is a file of this session");
    }
    checkNoFileAbove(path);
    addDirectories(path);
  }

  synchronized boolean isDirectory(Path path) {
    return path.equals(root) || directories.contains(path);
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
    List<PendingFile> deleted = new ArrayList<>();
    boolean existed = remove(path, recursive, deleted);
    discardAll(deleted);
    return existed;
  }

  private synchronized boolean remove(Path path, boolean recursive, List<PendingFile> removed)
      throws IOException {
    if (ended != null) {
      return false;
    }
    if (!isDirectory(path)) {
      PendingFile file = files.remove(path);
      if (file == null) {
        return false;
      }
      removed.add(file);
      return true;
    }
    List<PendingFile> below =
        files.values().stream().filter(file -> isBelow(file.path(), path)).toList();
    List<Path> directoriesBelow = directories.stream().filter(d -> isBelow(d, path)).toList();
    if (!recursive && !(below.isEmpty() && directoriesBelow.isEmpty())) {
      throw new PathIsNotEmptyDirectoryException(path.toString());
    }
    below.forEach(file -> files.remove(file.path()));
    directoriesBelow.forEach(directories::remove);
    directories.remove(path);
    removed.addAll(below);
    return true;
  }

  /**
   * Must be called after each close of a file. A writer reads a footer right after the close; the
   * ends of all files of a task would not fit into its memory.
   */
  void closed(PendingFile file) throws IOException {
    WithTail latest = new WithTail(file, file.tailBytes());
    List<WithTail> forgotten = new ArrayList<>();
    synchronized (withTail) {
      tailBytes += latest.bytes();
      withTail.add(latest);
      while (tailBytes > MAX_TAILS && withTail.size() > 1) {
        WithTail earliest = withTail.remove();
        tailBytes -= earliest.bytes();
        forgotten.add(earliest);
      }
    }
    for (WithTail earlier : forgotten) {
      earlier.file().forgetTail();
    }
  }

  boolean isSending() {
    return all().stream().anyMatch(PendingFile::isSending);
  }

  /** See {@link PendingSession#park}. */
  void park() throws IOException {
    List<PendingFile> all = all();
    forAll(all, PendingFile::park);
    // Afterwards, because the end of the session ignores files that are not parked yet.
    if (isEnded()) {
      abandon(all);
    }
  }

  /** Ends the session without a result: aborts all uploads; later writes fail. */
  void abort() throws IOException {
    List<PendingFile> all;
    synchronized (this) {
      ended = "its task attempt was aborted";
      all = List.copyOf(files.values());
    }
    // Outside the lock: a slow part of one writer would block all others.
    discardAll(all);
  }

  /**
   * Ends the session: the uploads of open and of parked files are aborted, and open files fail. If
   * no file waits for job commit, this frees the session's memory, because its owner may never
   * close it: after a failed attempt an engine drops the writers and closes all file systems.
   */
  void close() throws IOException {
    List<PendingFile> all;
    synchronized (this) {
      if (ended == null) {
        ended = "its file system was closed";
      }
      all = List.copyOf(files.values());
    }
    abandon(all);
  }

  private void abandon(List<PendingFile> all) throws IOException {
    // An engine may hold the writers of all partitions, and so this object, long after their end.
    try (Closeable afterwards = () -> closeUploadsUnlessNeeded(all);
        Closeable ends = () -> forAll(all, PendingFile::forgetTail)) {
      abortAll(
          all.stream()
              .filter(file -> file.abandon("the file system was closed before the file"))
              .toList());
    }
  }

  /** Every file is closed or has failed, so no more files will wait for job commit. */
  private void closeUploadsUnlessNeeded(List<PendingFile> all) throws IOException {
    if (all.stream().noneMatch(PendingFile::isPending)) {
      uploads.close();
    }
  }

  /**
   * The description of all files for job commit, in the order of their paths. Waits until all parts
   * are sent.
   *
   * @throws IOException if a file is still open or has failed, or the session was aborted
   */
  List<OutputFile> outputs() throws IOException {
    // Outside the lock: a slow part of one file must not block other files.
    List<OutputFile> outputs = new ArrayList<>();
    for (PendingFile file : all()) {
      outputs.add(file.output());
    }
    return outputs;
  }

  private synchronized List<PendingFile> all() {
    return List.copyOf(files.values());
  }

  private synchronized boolean isEnded() {
    return ended != null;
  }

  private static boolean isBelow(Path candidate, Path top) {
    for (Path parent = candidate.getParent(); parent != null; parent = parent.getParent()) {
      if (parent.equals(top)) {
        return true;
      }
    }
    return false;
  }

  private void addDirectories(Path lowest) {
    for (Path path = lowest; path != null && !path.equals(root); path = path.getParent()) {
      directories.add(path);
    }
  }

  private void checkNoFileAbove(Path path) throws ParentNotDirectoryException {
    for (Path parent = path.getParent(); parent != null; parent = parent.getParent()) {
      if (files.containsKey(parent)) {
        throw new ParentNotDirectoryException(
            "ZR-2218: cannot create " + path + ": " + parent + " is a file of this session");
      }
    }
  }

  private FileStatus directoryStatus(Path path) {
    return new FileStatus(0, true, 1, 0, openedAt, path);
  }

  private static void discardAll(List<PendingFile> files) throws IOException {
    files.forEach(PendingFile::discard);
    abortAll(files);
  }

  /** All have begun, so that they wait for the store together. */
  private static void abortAll(List<PendingFile> files) throws IOException {
    forAll(files, PendingFile::abort);
  }

  private static void forAll(List<PendingFile> files, ConsumerRaisingIOE<PendingFile> action)
      throws IOException {
    Failures failures = new Failures();
    files.forEach(file -> failures.of(() -> action.accept(file)));
    failures.throwAny();
  }

  private record WithTail(PendingFile file, long bytes) {}
}
