package io.zerorename.benchmark;

import io.zerorename.report.Progress;
import io.zerorename.report.SlowServer;
import io.zerorename.report.SlowServer.Measured;
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

  /** S3A takes 64 MiB of direct memory per block, and up to four blocks per stream. */
  private static final String DIRECT_LIMIT = "-XX:MaxDirectMemorySize=3g";

  private static final List<Integer> STREAMS = List.of(1, 8);
  private static final Duration PATIENCE = Duration.ofMinutes(20);
  private static final double MEGABYTE = 1e6;

  /** Of S3. */
  private static final double LEAST_PART_BYTES = 5 << 20;

  private final BenchmarkOptions options;
  private Path directory;
  private SlowServer server;

  UploadExperiment(BenchmarkOptions options) {
    this.options = options;
  }

  @Override
  public List<Case> cases() {
    List<Case> cases = new ArrayList<>();
    for (int streams : STREAMS) {
      List<Trial> trials = new ArrayList<>();
      for (UploadSubject subject : UploadSubject.values()) {
        trials.add(trial(subject, streams));
      }
      cases.add(new Case(streams == 1 ? "1-stream" : streams + "-streams", 0, trials));
    }
    return cases;
  }

  @Override
  public void start(SlowServer server, Path directory, Progress progress) {
    this.directory = directory;
    this.server = server;
  }

  private long bytes(int streams) {
    return options.uploadMegabytes * (1L << 20) / streams * streams;
  }

  private Trial trial(UploadSubject subject, int streams) {
    double bytes = bytes(streams) + UploadProcess.warmUpBytes(bytes(streams));
    return new Trial(
        subject.title(),
        false,
        2.0 * streams + bytes / LEAST_PART_BYTES,
        round -> upload(subject, streams, round));
  }

  private Sample upload(UploadSubject subject, int streams, int round)
      throws IOException, InterruptedException {
    long bytes = bytes(streams);
    String prefix = "upload/" + subject.title() + "-" + streams + "-" + round + "/";
    Path local = Files.createDirectories(directory.resolve("buffers-" + subject.title() + streams));
    List<String> arguments = new ArrayList<>();
    arguments.add(subject.name());
    arguments.add(server.bucket().location(prefix));
    arguments.add(local.toString());
    arguments.add(String.valueOf(streams));
    arguments.add(String.valueOf(bytes / streams));
    arguments.add(String.valueOf(UploadProcess.warmUpBytes(bytes)));
    server.bucket().access().settings().forEach((name, value) -> arguments.add(name + "=" + value));
    ChildJvm.Command command =
        new ChildJvm.Command(
            UploadProcess.class,
            List.of("-Xmx512m", DIRECT_LIMIT, "-XX:+UseSerialGC", "-XX:+ExitOnOutOfMemoryError"),
            arguments,
            server.bucket().access().environment());
    try (ChildJvm child = ChildJvm.start(command, directory.resolve("upload.log"))) {
      child.await(0, "ready"::equals, PATIENCE);
      Measured<List<String>> measured =
          server.measure(
              0,
              () -> {
                child.send("go");
                return child.await(1, line -> line.startsWith("measured "), PATIENCE);
              });
      check(subject, bytes, prefix);
      List<String> answer = measured.result();
      return sample(streams, bytes, answer.get(answer.size() - 1).split(" "), measured.requests());
    } finally {
      server.bucket().contents().clear(prefix);
    }
  }

  private Sample sample(int streams, long bytes, String[] measured, RequestCounts requests) {
    double seconds = Double.parseDouble(measured[1]);
    double live = Long.parseLong(measured[3]) + Long.parseLong(measured[5]);
    Map<String, Double> measures = new LinkedHashMap<>();
    measures.put(RATE, bytes / MEGABYTE / seconds);
    measures.put(PROCESSOR, Double.parseDouble(measured[2]) / (bytes / 1e9));
    measures.put(MEMORY, live / MEGABYTE);
    measures.put(HEAP, Long.parseLong(measured[4]) / MEGABYTE);
    measures.put("directMegabytes", Long.parseLong(measured[5]) / MEGABYTE);
    return new Sample(
        streams,
        bytes,
        Map.of(Sample.TASKS, seconds, Sample.COMMIT, 0.0, Sample.TOTAL, seconds),
        requests.byApiName(),
        measures,
        "");
  }

  private void check(UploadSubject subject, long bytes, String prefix) throws IOException {
    long written =
        server.bucket().contents().objects(prefix + "measured-").values().stream()
            .mapToLong(Long::longValue)
            .sum();
    if (written != bytes) {
      throw new IOException(
          subject.title() + " has left " + written + " bytes in the bucket, not " + bytes);
    }
  }
}
