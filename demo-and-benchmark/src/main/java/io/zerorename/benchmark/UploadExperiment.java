package io.zerorename.benchmark;

import io.zerorename.benchmark.BenchmarkOptions.Suite;
import io.zerorename.report.Progress;
import io.zerorename.testing.process.ChildJvm;
import io.zerorename.testing.s3server.RequestCounts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Streams of ours and of S3A, each in a JVM of its own, without any delay. */
final class UploadExperiment implements Experiment {
  static final String RATE = "megabytesPerSecond";
  static final String PROCESSOR = "processorSecondsPerGigabyte";
  static final String MEMORY = "liveMegabytes";
  static final String HEAP = "peakHeapMegabytes";
  static final String HEAP_LIMIT = "-Xmx512m";

  /** S3A takes 64 MiB of direct memory per block, and up to four blocks per stream. */
  private static final String DIRECT_LIMIT = "-XX:MaxDirectMemorySize=3g";

  private static final List<Integer> STREAMS = List.of(1, 8);
  private static final double BYTES_PER_SECOND = 120e6;
  private static final Duration PATIENCE = Duration.ofMinutes(20);
  private static final double MEGABYTE = 1e6;

  /** Of S3. */
  private static final double LEAST_PART_BYTES = 5 << 20;

  private final BenchmarkOptions options;
  private final Servers servers;
  private Path directory;
  private SlowServer server;

  UploadExperiment(BenchmarkOptions options, Servers servers) {
    this.options = options;
    this.servers = servers;
  }

  @Override
  public Suite suite() {
    return Suite.UPLOAD;
  }

  /** The name of a case. */
  static String caseName(int streams) {
    return streams == 1 ? "1-stream" : streams + "-streams";
  }

  @Override
  public List<Case> cases() {
    List<Case> cases = new ArrayList<>();
    for (int streams : STREAMS) {
      List<Trial> trials = new ArrayList<>();
      for (UploadSubject subject : UploadSubject.values()) {
        trials.add(new Upload(subject, streams));
      }
      cases.add(new Case(caseName(streams), 0, trials));
    }
    return cases;
  }

  @Override
  public void start(Path directory, Progress progress) throws IOException {
    this.directory = directory;
    progress.step("preparing S3");
    server = servers.start(directory, Suite.UPLOAD);
  }

  @Override
  public void close() throws IOException {
    if (server != null) {
      server.close();
    }
  }

  private final class Upload implements Trial {
    private final UploadSubject subject;
    private final int streams;

    private Upload(UploadSubject subject, int streams) {
      this.subject = subject;
      this.streams = streams;
    }

    @Override
    public String subject() {
      return subject.title();
    }

    private long bytes() {
      return options.uploadMegabytes() * (1L << 20) / streams * streams;
    }

    @Override
    public double estimatedSeconds() {
      return 4 + (bytes() + UploadProcess.warmUpBytes(bytes())) / BYTES_PER_SECOND;
    }

    @Override
    public double estimatedRequests() {
      return 2.0 * streams + (bytes() + UploadProcess.warmUpBytes(bytes())) / LEAST_PART_BYTES;
    }

    @Override
    public Sample run(int round) throws IOException, InterruptedException {
      String prefix = "upload/" + subject() + "-" + streams + "-" + round + "/";
      Path local = Files.createDirectories(directory.resolve("buffers-" + subject() + streams));
      List<String> arguments = new ArrayList<>();
      arguments.add(subject.name());
      arguments.add(server.location(prefix));
      arguments.add(local.toString());
      arguments.add(String.valueOf(streams));
      arguments.add(String.valueOf(bytes() / streams));
      arguments.add(String.valueOf(UploadProcess.warmUpBytes(bytes())));
      server.access().settings().forEach((name, value) -> arguments.add(name + "=" + value));
      ChildJvm.Command command =
          new ChildJvm.Command(
              UploadProcess.class,
              List.of(HEAP_LIMIT, DIRECT_LIMIT, "-XX:+UseSerialGC", "-XX:+ExitOnOutOfMemoryError"),
              arguments,
              server.access().environment());
      try (ChildJvm child = ChildJvm.start(command, directory.resolve("upload.log"))) {
        child.await(0, "ready"::equals, PATIENCE);
        List<String> answer = new ArrayList<>();
        RequestCounts requests =
            server.measure(
                0,
                () -> {
                  child.send("go");
                  answer.addAll(child.await(1, line -> line.startsWith("measured "), PATIENCE));
                });
        check(prefix);
        return sample(answer.get(answer.size() - 1).split(" "), requests);
      } finally {
        server.contents().clear(prefix);
      }
    }

    private Sample sample(String[] measured, RequestCounts requests) {
      double seconds = Double.parseDouble(measured[1]);
      double live = Long.parseLong(measured[3]) + Long.parseLong(measured[5]);
      Map<String, Double> measures = new LinkedHashMap<>();
      measures.put(RATE, bytes() / MEGABYTE / seconds);
      measures.put(PROCESSOR, Double.parseDouble(measured[2]) / (bytes() / 1e9));
      measures.put(MEMORY, live / MEGABYTE);
      measures.put(HEAP, Long.parseLong(measured[4]) / MEGABYTE);
      measures.put("directMegabytes", Long.parseLong(measured[5]) / MEGABYTE);
      return new Sample(
          streams,
          bytes(),
          Map.of(Sample.TASKS, seconds, Sample.COMMIT, 0.0, Sample.TOTAL, seconds),
          requests.byApiName(),
          measures,
          "");
    }

    private void check(String prefix) throws IOException {
      long written =
          server.contents().objects(prefix + "measured-").values().stream()
              .mapToLong(Long::longValue)
              .sum();
      if (written != bytes()) {
        throw new IOException(
            subject() + " has left " + written + " bytes in the bucket, not " + bytes());
      }
    }
  }
}
