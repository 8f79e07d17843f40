package io.zerorename.benchmark;

import static java.util.stream.Collectors.toMap;

import io.zerorename.core.commit.CommitReport;
import io.zerorename.core.commit.Overwrite;
import io.zerorename.core.commit.TestJob;
import io.zerorename.core.document.TaskManifest;
import io.zerorename.core.job.ManifestSource;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.RepeatableBody;
import io.zerorename.core.store.RequestType;
import io.zerorename.core.store.UploadedPart;
import io.zerorename.core.upload.OutputFile;
import io.zerorename.core.upload.PendingUpload;
import io.zerorename.report.SlowServer;
import io.zerorename.testing.BeforeRequest;
import io.zerorename.testing.InMemoryObjectStore;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/** How job commit scales with files and threads, on a store in memory that only waits. */
final class CommitExperiment implements Experiment {
  /** What no commit can go below: N requests, each of this time, in so many threads. */
  static final String BOUND = "boundSeconds";

  static final String TO_BOUND = "toBound";

  private static final List<Integer> FILES = List.of(1_000, 10_000, 100_000);
  private static final List<Integer> THREADS = List.of(16, 64, 256);

  /**
   * With fewer, Java's compiler is still at work while the first cases are measured, and takes one
   * of few processors.
   */
  private static final int WARM_UPS = 20;

  /** And so uploads in one manifest. */
  private static final int FILES_PER_TASK = 100;

  private static final byte[] CONTENT = {1};

  private java.nio.file.Path directory;

  @Override
  public List<Trial> trials() {
    List<Trial> trials = new ArrayList<>();
    for (int files : FILES) {
      for (int threads : THREADS) {
        trials.add(
            new Trial(
                files + "-uploads",
                "zero-rename-" + threads,
                true,
                files == 100_000 && threads < 256,
                // The store is in memory, so no request goes to S3.
                0,
                (server, round) -> commit(files, server.delayMillis(), threads)));
      }
    }
    return trials;
  }

  @Override
  public void start(SlowServer server, java.nio.file.Path directory) throws IOException {
    this.directory = directory;
    for (int i = 0; i < WARM_UPS; i++) {
      commit(FILES.get(1), 0, THREADS.get(0));
    }
  }

  private Sample commit(int files, int latency, int threads) throws IOException {
    InMemoryObjectStore memory = new InMemoryObjectStore(ObjectKeys.bucketOf(TestJob.TABLE));
    String id = UUID.randomUUID().toString();
    FileSystem local = FileSystem.getLocal(new Configuration()).getRaw();
    TestJob job = new TestJob(path -> memory, local, directory, id).withThreads(threads);
    Path manifests = new Path(directory.resolve(id + "-manifests").toUri());
    for (int day = 0; day < files / FILES_PER_TASK; day++) {
      String attempt = "attempt_" + day;
      List<PendingUpload> uploads = new ArrayList<>();
      for (int file = 0; file < FILES_PER_TASK; file++) {
        uploads.add(upload(job.path("day=" + day + "/" + file), id, attempt, memory));
      }
      TaskManifest.of(id, attempt, uploads).write(local, new Path(manifests, attempt));
    }
    memory.resetCounts();
    ObjectStore slow = BeforeRequest.each(memory, () -> Thread.sleep(latency));
    long start = System.nanoTime();
    CommitReport report =
        job.through(path -> slow)
            .commit(Overwrite.none(), ManifestSource.filesBelow(local, List.of(manifests)));
    double seconds = (System.nanoTime() - start) / 1e9;
    if (memory.requests().get(RequestType.COMPLETE_UPLOAD) != files) {
      throw new IOException("not every upload was completed: " + memory.requests());
    }
    Map<String, Double> measures = new LinkedHashMap<>();
    report
        .stages()
        .forEach(
            (stage, time) ->
                measures.put(
                    "seconds_" + stage.name().toLowerCase(Locale.ROOT), time.toNanos() / 1e9));
    measures.put("threads", (double) threads);
    double bound = (double) files * latency / 1000 / threads;
    measures.put(BOUND, bound);
    measures.put(TO_BOUND, bound == 0 ? 0 : seconds / bound);
    return new Sample(
        files,
        files,
        Map.of(Sample.TASKS, 0.0, Sample.COMMIT, seconds, Sample.TOTAL, seconds),
        memory.requests().entrySet().stream()
            .collect(toMap(entry -> apiName(entry.getKey()), Map.Entry::getValue)),
        measures,
        "");
  }

  /** What a task leaves: an upload that only waits for its completion. */
  private static PendingUpload upload(Path file, String job, String attempt, ObjectStore store)
      throws IOException {
    String key = ObjectKeys.of(file);
    String identity = UUID.randomUUID().toString();
    String id = store.createUpload(key, Map.of(OutputFile.IDENTITY_METADATA, identity));
    UploadedPart part = store.uploadPart(key, id, 1, RepeatableBody.of(CONTENT));
    return new PendingUpload(file, id, List.of(part), job, attempt, identity);
  }

  private static String apiName(RequestType type) {
    return switch (type) {
      case CREATE_UPLOAD -> "CreateMultipartUpload";
      case UPLOAD_PART -> "UploadPart";
      case COMPLETE_UPLOAD -> "CompleteMultipartUpload";
      case ABORT_UPLOAD -> "AbortMultipartUpload";
      case LIST_UPLOADS -> "ListMultipartUploads";
      case LIST_PARTS -> "ListParts";
      case PUT -> "PutObject";
      case GET -> "GetObject";
      case HEAD -> "HeadObject";
      case LIST -> "ListObjectsV2";
      case BULK_DELETE -> "DeleteObjects";
    };
  }
}
