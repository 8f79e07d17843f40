package io.zerorename.core.recordstore;

import io.zerorename.core.document.PrivateFiles;
import io.zerorename.core.store.Failures;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * Records as files on the cluster file system.
 *
 * <p>A file is written under a name of its own and renamed into place, which makes it complete
 * whenever it is visible. HDFS refuses to rename onto an existing file, so the first wins.
 */
public record FileRecords(FileSystem fileSystem, Path directory) implements RecordStore {
  /** Files that are being written, in the job's directory so that listings do not see them. */
  private static final String UNFINISHED = ".unfinished-";

  @Override
  public boolean putIfAbsent(String name, byte[] document) throws IOException {
    Path file = path(name);
    if (fileSystem.exists(file)) {
      return false;
    }
    Path unfinished = new Path(directory, UNFINISHED + UUID.randomUUID());
    try {
      PrivateFiles.write(fileSystem, unfinished, document, false);
      if (!file.getParent().equals(directory)) {
        fileSystem.mkdirs(file.getParent());
      }
      // A local file system would rename onto an existing file; the second check narrows that to
      // two processes of one machine at the same instant, where a cluster has HDFS.
      if (!fileSystem.exists(file) && fileSystem.rename(unfinished, file)) {
        return true;
      }
    } catch (IOException e) {
      Failures failures = new Failures();
      failures.add(e);
      failures.of(() -> fileSystem.delete(unfinished, false));
      throw e;
    }
    fileSystem.delete(unfinished, false);
    if (!fileSystem.exists(file)) {
      throw new IOException(
          ("ZR-1502: Cannot write %s: the file system refused to rename %s. Check that"
                  + " zerorename.work.dir is writable.")
              .formatted(file, unfinished));
    }
    return false;
  }

  @Override
  public Optional<byte[]> get(String name) throws IOException {
    try (InputStream in = fileSystem.open(path(name))) {
      return Optional.of(in.readAllBytes());
    } catch (FileNotFoundException e) {
      return Optional.empty();
    }
  }

  @Override
  public List<String> namesIn(String name) throws IOException {
    try {
      return Arrays.stream(fileSystem.listStatus(path(name)))
          .map(file -> file.getPath().getName())
          .sorted()
          .toList();
    } catch (FileNotFoundException e) {
      // Nothing was written there yet.
      return List.of();
    }
  }

  @Override
  public void delete(Collection<String> names) throws IOException {
    for (String name : names) {
      fileSystem.delete(path(name), false);
    }
  }

  @Override
  public String locate(String name) {
    return path(name).toString();
  }

  private Path path(String name) {
    return new Path(directory, name);
  }
}
