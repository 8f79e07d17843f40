package io.zerorename.core.log;

import io.zerorename.core.recordstore.ObjectRecords;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.testing.Decisions;
import io.zerorename.testing.InMemoryObjectStore;
import java.io.IOException;
import java.util.List;
import java.util.TreeSet;
import java.util.UUID;
import org.apache.hadoop.fs.Path;

/** A log in a bucket, and what jobs decide in it. */
abstract class LogFixture {
  static final Path TABLE = new Path("s3a://bucket/t");
  static final Path DAY_1 = new Path(TABLE, "day=1");
  static final Path DAY_2 = new Path(TABLE, "day=2");

  static final Path DIRECTORY = new Path("s3a://bucket/_zerorename/t-1");

  final InMemoryObjectStore store = new InMemoryObjectStore("bucket");

  ObjectRecords records() {
    return new ObjectRecords(store, DIRECTORY);
  }

  /** Puts bytes in the place of a record. */
  void damage(String name, byte[] document) {
    store.plant(ObjectKeys.prefixOf(DIRECTORY) + name, document);
  }

  /** Opened anew, as another process does it. */
  CommitLog log() {
    return new CommitLog(store, DIRECTORY);
  }

  static OutputJob job(String id) {
    return new OutputJob(id, "INSERT into db.t by " + id, List.of(TABLE));
  }

  /** A draft that adds files to some directories. */
  static LogEntry adds(String jobId, Path... directories) {
    return draft(EntryKind.ADD, jobId, List.of(directories), List.of());
  }

  /** A draft that replaces the files of some directories. */
  static LogEntry replaces(String jobId, Path... directories) {
    return draft(EntryKind.REPLACE, jobId, List.of(directories), List.of(directories));
  }

  static LogEntry draft(EntryKind kind, String jobId, List<Path> scope, List<Path> replaces) {
    return new LogEntry(
        0,
        kind,
        UUID.randomUUID().toString(),
        job(jobId),
        scope,
        replaces,
        new TreeSet<>(),
        new TreeSet<>(),
        List.of("parts/" + jobId + ".0123"),
        PlanChunk.EMPTY);
  }

  LogEntry decide(LogEntry draft) throws IOException {
    return Decisions.decide(log(), draft, log().tail());
  }
}
