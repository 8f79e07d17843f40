package io.zerorename.magic.job;

import io.zerorename.testing.InMemoryObjectStore;
import java.io.IOException;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A job, and the bucket in memory that it writes to; each test has its own. */
abstract class SimulatedJobs {
  @TempDir java.nio.file.Path directory;

  final InMemoryObjectStore store = new InMemoryObjectStore("bucket");
  SimulatedJob job;

  @BeforeEach
  void newJob() {
    job = new SimulatedJob(store, directory, 1);
  }

  /** The sessions of attempts whose process was killed, which here is this one. */
  @AfterEach
  void closeSessions() throws IOException {
    FileSystem.closeAll();
  }
}
