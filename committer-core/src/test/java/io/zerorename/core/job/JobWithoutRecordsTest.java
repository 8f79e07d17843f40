package io.zerorename.core.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.core.commit.TestJob;
import io.zerorename.core.parallel.Workers;
import io.zerorename.testing.InMemoryObjectStore;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The sweep of a job that keeps no records lists only where an upload may be left. */
class JobWithoutRecordsTest {
  @TempDir java.nio.file.Path workDir;

  private final InMemoryObjectStore store = new InMemoryObjectStore("bucket");
  private TestJob job;

  @BeforeEach
  void anUpload() throws IOException {
    job =
        new TestJob(path -> store, FileSystem.getLocal(new Configuration(false)), workDir, "job-1");
    store.createUpload(job.key("0"), Map.of());
    store.resetCounts();
  }

  @Test
  void oneWhoseUploadsAreAllKnownSendsNothing() throws IOException {
    JobWithoutRecords records = new JobWithoutRecords(job.outputJob(), false);
    assertThat(sweep(records)).isZero();
    assertThat(store.requests()).isEmpty();
  }

  @Test
  void thoseOfKilledWritersAreFound() throws IOException {
    assertThat(sweep(new JobWithoutRecords(job.outputJob(), true))).isEqualTo(1);
    assertThat(store.pendingKeys()).isEmpty();
  }

  private int sweep(JobWithoutRecords records) throws IOException {
    Workers workers = CommitSettings.ofThreads(1).workers();
    return records.cleanUp(path -> store, Optional.empty(), workers);
  }
}
