package io.zerorename.benchmark;

import static java.util.stream.Collectors.toMap;

import io.zerorename.benchmark.BenchmarkOptions.Suite;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.RequestType;
import io.zerorename.report.Progress;
import io.zerorename.testing.DelayedStore;
import io.zerorename.testing.InMemoryObjectStore;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** How job commit scales with files and threads, on a store in memory that only waits. */
final class CommitExperiment implements Experiment {
  /** What no commit can go below: N requests, each of this time, in so many threads. */
  static final String BOUND = "boundSeconds";

  static final String SUBJECT = "zero-rename-";
  private static final List<Integer> FILES = List.of(1_000, 10_000, 100_000);
  private static final List<Integer> THREADS = List.of(16, 64, 256);

  private static final double SECONDS_PER_FILE = 60e-6;

  /**
   * With fewer, Java's compiler is still at work while the first cases are measured, and takes one
   * of few processors.
   */
  private static final int WARM_UPS = 20;

  private final BenchmarkOptions options;
  private Optional<Path> directory = Optional.empty();

  CommitExperiment(BenchmarkOptions options) {
    this.options = options;
  }

  @Override
  public Suite suite() {
    return Suite.COMMIT;
  }

  /** The name of a case. */
  static String caseName(int files) {
    return files + "-uploads";
  }

  @Override
  public List<Case> cases() {
    List<Case> cases = new ArrayList<>();
    for (int latency : options.latencies()) {
      for (int files : FILES) {
        List<Trial> trials = new ArrayList<>();
        for (int threads : THREADS) {
          trials.add(new Commit(SUBJECT + threads, files, latency, threads));
        }
        cases.add(new Case(caseName(files), latency, trials));
      }
    }
    return cases;
  }

  private static double bound(int files, int latencyMillis, int threads) {
    return (double) files * latencyMillis / 1000 / threads;
  }

  @Override
  public void start(Path directory, Progress progress) throws IOException {
    this.directory = Optional.of(directory);
    progress.step("warming up job commit");
    for (int i = 0; i < WARM_UPS; i++) {
      new Commit(SUBJECT, FILES.get(1), 0, THREADS.get(0)).run(0);
    }
  }

  private final class Commit implements Trial {
    private final String subject;
    private final int files;
    private final int latency;
    private final int threads;

    private Commit(String subject, int files, int latency, int threads) {
      this.subject = subject;
      this.files = files;
      this.latency = latency;
      this.threads = threads;
    }

    @Override
    public String subject() {
      return subject;
    }

    @Override
    public double estimatedSeconds() {
      return 0.3 + 1.1 * bound(files, latency, threads) + SECONDS_PER_FILE * files;
    }

    /** None: the store is in memory. */
    @Override
    public double estimatedRequests() {
      return 0;
    }

    @Override
    public Sample run(int round) throws IOException {
      InMemoryObjectStore memory = new InMemoryObjectStore(CommitWork.BUCKET);
      CommitWork work = new CommitWork(directory.orElseThrow());
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
      measures.put(BOUND, bound(files, latency, threads));
      return new Sample(
          files,
          files,
          Map.of(Sample.TASKS, 0.0, Sample.COMMIT, seconds, Sample.TOTAL, seconds),
          memory.requests().entrySet().stream()
              .collect(toMap(entry -> apiName(entry.getKey()), Map.Entry::getValue)),
          measures,
          "");
    }
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

  @Override
  public void close() {}
}
