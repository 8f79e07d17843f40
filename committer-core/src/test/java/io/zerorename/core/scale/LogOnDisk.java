package io.zerorename.core.scale;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.log.CommitLog;
import io.zerorename.core.recordstore.FileRecords;
import io.zerorename.core.recordstore.LogRecords;
import java.io.IOException;
import java.time.Instant;
import java.util.Collection;
import java.util.Optional;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.util.functional.RemoteIterators;

/** Records of a log that take no place in the heap. */
record LogOnDisk(FileRecords files) implements LogRecords {
  LogOnDisk {
    requireNonNull(files, "files");
  }

  static CommitLog in(FileSystem local, Path directory) {
    return new CommitLog(
        new LogOnDisk(new FileRecords(local, directory)), new Path("s3a://logs/t"));
  }

  @Override
  public boolean putIfAbsent(String name, byte[] document) throws IOException {
    return files.putIfAbsent(name, document);
  }

  @Override
  public Optional<String> write(String name, byte[] document) throws IOException {
    return putIfAbsent(name, document) ? Optional.of("") : Optional.empty();
  }

  @Override
  public RemoteIterator<Entry> beginningWith(String prefix) throws IOException {
    String directory = prefix.substring(0, prefix.lastIndexOf('/'));
    return RemoteIterators.filteringRemoteIterator(
        files.list(directory), entry -> entry.name().startsWith(prefix));
  }

  @Override
  public Optional<byte[]> get(String name) throws IOException {
    return files.get(name);
  }

  @Override
  public RemoteIterator<Entry> list(String directory) throws IOException {
    return files.list(directory);
  }

  @Override
  public void delete(Collection<String> names) throws IOException {
    files.delete(names);
  }

  @Override
  public Instant now() {
    return Instant.now();
  }

  @Override
  public String locate(String name) {
    return files.locate(name);
  }
}
