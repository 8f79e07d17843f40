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

/**
 * The files and directories of one session, and nothing else: what lies in the bucket is neither
 * seen nor asked for. Paths are fully qualified. Thread-safe.
 */
final class PendingFiles {
  /** Bytes of the ends of closed files that are kept, besides the last one's. */
  static final int MAX_TAILS = 16 << 20;

  private final PendingPaths paths;
  private final MultipartUploads uploads;
  private final Path root;
  private final long openedAt = System.currentTimeMillis();
  private final NavigableMap<Path, PendingFile> files = new TreeMap<>();

  /** The files that were closed last, from the first to the last. */
  private final Queue<WithTail> withTail = new ArrayDeque<>();

  private long tailBytes;

  /** Without the root, which is always there. */
  private final NavigableSet<Path> directories = new TreeSet<>();

  /** Why nothing can be created any more; null as long as it can. */
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

  /** Creates a file and its missing parents; an earlier file of that path loses its upload. */
  PendingFile create(Path path, boolean overwrite, long blockSize) throws IOException {
    checkCreation(path, overwrite);
    // Outside the lock, as it asks Hadoop's cache of file systems for S3A's. An engine that closes
    // the file systems of a task locks that cache, and waits for this lock.
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
      // Before the new upload begins: at no time may two uploads of the session wait for one key.
      earlier.discard();
      files.remove(path);
    }
    PendingFile file = new PendingFile(path, upload, blockSize);
    files.put(path, file);
    addDirectories(path.getParent());
    return file;
  }

  private synchronized void checkCreation(Path path, boolean overwrite) throws IOException {
    if (ended != null) {
      throw new IOException("cannot create " + path + ": " + ended);
    }
    if (isDirectory(path)) {
      throw new FileAlreadyExistsException(path + " is a directory of this session");
    }
    checkNoFileAbove(path);
    if (!overwrite && files.containsKey(path)) {
      throw new FileAlreadyExistsException(
          path + " was already written in this session. Create it with overwrite, or delete it");
    }
  }

  synchronized PendingFile file(Path path) throws FileNotFoundException {
    PendingFile file = files.get(path);
    if (file == null) {
      throw new FileNotFoundException(
          isDirectory(path)
              ? path + " is a directory"
              : path
                  + " does not exist in this session. The pending file system shows only what the"
                  + " session wrote; open "
                  + paths.destinationOf(path)
                  + " to read the bucket");
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
      throw new FileAlreadyExistsException(path + " is a file of this session");
    }
    checkNoFileAbove(path);
    addDirectories(path);
  }

  synchronized boolean isDirectory(Path path) {
    return path.equals(root) || directories.contains(path);
  }

  /**
   * Removes a file, or a directory with everything below, and aborts the uploads. The root itself
   * stays. Once the session has ended nothing is deleted, as job commit may have the files: a
   * writer may have asked for it at the file system's close, by when Hadoop's own committer has
   * moved them.
   *
   * @return whether there was something
   */
  synchronized boolean delete(Path path, boolean recursive) throws IOException {
    if (ended != null) {
      return false;
    }
    if (!isDirectory(path)) {
      PendingFile file = files.remove(path);
      if (file == null) {
        return false;
      }
      file.discard();
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
    discardAll(below);
    return true;
  }

  /** Aborts the upload of a file and forgets it, if it was not replaced meanwhile. */
  synchronized void discard(PendingFile file) throws IOException {
    files.remove(file.path(), file);
    file.discard();
  }

  /**
   * To be told of each file that was closed. A writer that reads its footer does so at once; the
   * ends of all files that a task has written would not fit into its memory.
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
    // Not before: who ends the session meanwhile leaves files alone that are not parked yet.
    if (isEnded()) {
      giveUp(all);
    }
  }

  /** Ends the session without a result: aborts all uploads; whoever writes on gets an error. */
  void abort() throws IOException {
    List<PendingFile> all;
    synchronized (this) {
      ended = "its task attempt was aborted";
      all = List.copyOf(files.values());
    }
    // Outside the lock: a writer in the midst of a slow part would hold up everybody.
    discardAll(all);
  }

  /**
   * Ends the session: files that are still being written fail, and lose their uploads; so do closed
   * ones that nobody may take. Unless files wait for job commit, nobody may be left to close the
   * session itself (an engine forgets the writers of a failed attempt and closes all its file
   * systems), so this frees what it held of the process.
   */
  void close() throws IOException {
    List<PendingFile> all;
    synchronized (this) {
      if (ended == null) {
        ended = "its file system was closed";
      }
      all = List.copyOf(files.values());
    }
    giveUp(all);
  }

  private void giveUp(List<PendingFile> all) throws IOException {
    // An engine may keep the writers of all its partitions, and so this, long after their end.
    try (Closeable afterwards = () -> closeUploadsUnlessNeeded(all);
        Closeable ends = () -> forAll(all, PendingFile::forgetTail)) {
      forAll(all, file -> file.abandon("the file system was closed before the file"));
    }
  }

  /** Each file has been closed, or has failed, so that no other one will wait for job commit. */
  private void closeUploadsUnlessNeeded(List<PendingFile> all) throws IOException {
    if (all.stream().noneMatch(PendingFile::isPending)) {
      uploads.close();
    }
  }

  /**
   * What job commit gets of all files, in the order of their paths, once all their parts are sent.
   *
   * @throws IOException where a file is still open or has failed, or the session was aborted
   */
  List<OutputFile> outputs() throws IOException {
    // Outside the lock: a slow part of one file must not hold up those who ask about others.
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
            "cannot create " + path + ": " + parent + " is a file of this session");
      }
    }
  }

  private FileStatus directoryStatus(Path path) {
    return new FileStatus(0, true, 1, 0, openedAt, path);
  }

  private static void discardAll(List<PendingFile> files) throws IOException {
    forAll(files, PendingFile::discard);
  }

  private static void forAll(List<PendingFile> files, Action action) throws IOException {
    Failures failures = new Failures();
    files.forEach(file -> failures.of(() -> action.on(file)));
    failures.throwAny();
  }

  private record WithTail(PendingFile file, long bytes) {}

  @FunctionalInterface
  private interface Action {
    void on(PendingFile file) throws IOException;
  }
}
