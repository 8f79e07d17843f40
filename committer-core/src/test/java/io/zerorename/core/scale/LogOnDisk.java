package io.zerorename.core.scale;

import io.zerorename.core.log.CommitLog;
import io.zerorename.core.recordstore.FileRecords;
import io.zerorename.core.store.ObjectSummary;
import io.zerorename.core.store.Refusal;
import io.zerorename.core.store.RepeatableBody;
import io.zerorename.testing.ForwardingStore;
import io.zerorename.testing.InMemoryObjectStore;
import java.io.IOException;
import java.util.Collection;
import java.util.Map;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.util.functional.CallableRaisingIOE;
import org.apache.hadoop.util.functional.RemoteIterators;

/** A store whose objects are files, for a log that takes no place in the heap. */
final class LogOnDisk extends ForwardingStore {
  private static final String PREFIX = "t/";

  private final FileRecords files;

  private LogOnDisk(FileRecords files) {
    super(new InMemoryObjectStore("logs"));
    this.files = files;
  }

  static CommitLog in(FileSystem local, Path directory) {
    LogOnDisk store = new LogOnDisk(new FileRecords(local, directory));
    return new CommitLog(path -> store, new Path("s3a://logs/" + PREFIX));
  }

  private static String name(String key) {
    return key.substring(PREFIX.length());
  }

  @Override
  public String putObjectIfAbsent(String key, RepeatableBody body, Map<String, String> metadata)
      throws IOException {
    try (var in = body.open()) {
      files.putIfAbsent(name(key), in.readAllBytes());
    }
    return "";
  }

  @Override
  public byte[] getObject(String key) throws IOException {
    return files.get(name(key)).orElseThrow();
  }

  @Override
  public RemoteIterator<ObjectSummary> listObjects(String prefix) throws IOException {
    String directory = prefix.substring(0, prefix.lastIndexOf('/') + 1);
    return RemoteIterators.remoteIteratorFromIterable(
        files.namesIn(name(directory.substring(0, directory.length() - 1))).stream()
            .map(name -> new ObjectSummary(directory + name, 0, "", now()))
            .filter(object -> object.key().startsWith(prefix))
            .toList());
  }

  @Override
  public Map<String, Refusal> deleteObjects(
      Collection<String> keys, CallableRaisingIOE<Boolean> fresh) throws IOException {
    files.delete(keys.stream().map(LogOnDisk::name).toList());
    return Map.of();
  }
}
