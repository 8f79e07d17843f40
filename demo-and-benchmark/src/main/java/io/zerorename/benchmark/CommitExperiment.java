package io.zerorename.benchmark;

import static java.util.stream.Collectors.toMap;

import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.RequestType;
import io.zerorename.report.SlowServer;
import io.zerorename.testing.DelayedStore;
import io.zerorename.testing.InMemoryObjectStore;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

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

  private Path directory;

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
  public void start(SlowServer server, Path directory) throws IOException {
    this.directory = directory;
    for (int i = 0; i < WARM_UPS; i++) {
      commit(FILES.get(1), 0, THREADS.get(0));
    }
  }

  private Sample commit(int files, int latency, int threads) throws IOException {
    InMemoryObjectStore memory = new InMemoryObjectStore(CommitWork.BUCKET);
    CommitWork work = new CommitWork(directory);
    work.write(memory, files);
    memory.resetCounts();
    ObjectStore slow = DelayedStore.of(memory, latency);
    long start = System.nanoTime();
    Map<String, Double> stages = work.commit(path -> slow, threads);
    double seconds = (System.nanoTime() - start) / 1e9;
    if (memory.requests().get(RequestType.COMPLETE_UPLOAD) != files) {
      throw new IOException("not every upload was completed: " + memory.requests());
    }
    Map<String, Double> measures = new LinkedHashMap<>(stages);
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
