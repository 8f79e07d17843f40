package io.zerorename.magic.fs;

import io.zerorename.core.config.CoreKeys;
import io.zerorename.core.job.JobDirectory;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.store.RequestType;
import io.zerorename.core.upload.InlineSettings;
import io.zerorename.core.upload.OutputFile;
import io.zerorename.core.upload.PendingUpload;
import io.zerorename.testing.InMemoryObjectStore;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/** A bucket in memory and sessions that write to it, with records in a local directory. */
final class TestBucket {

  static final String NAME = "bucket";

  private final InMemoryObjectStore store = new InMemoryObjectStore(NAME);
  private final Configuration conf = new Configuration();
  private final Path jobDirectory;

  TestBucket(File directory) {
    jobDirectory = new Path(new File(directory, "job-1").toURI());
    conf.set("fs.s3a.buffer.dir", directory.toString());
    // What S3 takes: parts of 5 MiB and more.
    conf.set("fs.s3a.multipart.size", "5M");
    // Also the small files of these tests.
    conf.set(CoreKeys.INLINE_MAX_BYTES.name(), "0");
  }

  static Path path(String key) {
    return new Path("s3a://" + NAME + "/" + key);
  }

  Configuration conf() {
    return conf;
  }

  /** As Hive's. */
  InlineSettings inline() {
    return new InlineSettings(
        CoreKeys.INLINE_MAX_BYTES.find(conf).orElse(512L << 10), 32L << 20, new AtomicLong());
  }

  InMemoryObjectStore store() {
    return store;
  }

  Map<RequestType, Long> requests() {
    return store.requests();
  }

  PendingSession open(String taskAttemptId) throws IOException {
    return open(taskAttemptId, store);
  }

  PendingSession open(String taskAttemptId, ObjectStores stores) throws IOException {
    String name = taskAttemptId + "-" + UUID.randomUUID();
    return open(taskAttemptId, name, inline(), stores);
  }

  /** A session of a name that is known before. */
  PendingSession openNamed(String name) throws IOException {
    return open(name, name, InlineSettings.none(), store);
  }

  PendingSession open(String taskAttemptId, String name, InlineSettings inline, ObjectStores stores)
      throws IOException {
    JobDirectory job = JobDirectory.of(jobDirectory, conf);
    return PendingSession.open(
        conf,
        new SessionSpec(
            path("table"), job.jobId(), job::noteWriter, taskAttemptId, name, inline, it -> it),
        stores);
  }

  /** Makes the session's files visible, as job commit does, and counts from there. */
  void complete(PendingSession session) throws IOException {
    for (OutputFile file : session.files()) {
      PendingUpload upload = (PendingUpload) file;
      store.completeUpload(upload.key(), upload.uploadId(), upload.parts());
    }
    store.resetCounts();
  }

  /** Writes and closes a file, of which parts may then still be under way. */
  void write(PendingSession session, String key, byte[] bytes) throws IOException {
    try (OutputStream out = fileSystem(session).create(session.pathOf(path(key)))) {
      out.write(bytes);
    }
  }

  /** The session's file system, as a record writer finds it: by path and configuration. */
  FileSystem fileSystem(PendingSession session) throws IOException {
    Configuration writerConf = new Configuration(conf);
    PendingFileSystem.register(writerConf);
    return session.pathOf(path("table")).getFileSystem(writerConf);
  }
}
