package io.zerorename.benchmark;

import io.zerorename.report.SlowServer;
import io.zerorename.report.SlowServer.Measured;
import io.zerorename.testing.process.ChildJvm;
import io.zerorename.testing.s3server.MeasuredBucket;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Streams of ours and of S3A, each in a JVM of its own, without any delay. */
final class UploadExperiment implements Experiment {
  static final String RATE = "megabytesPerSecond";
  static final String PROCESSOR = "processorSecondsPerGigabyte";
  static final String MEMORY = "liveMegabytes";

  /** S3A takes 64 MiB of direct memory per block, and up to four blocks per stream. */
  private static final String DIRECT_LIMIT = "-XX:MaxDirectMemorySize=3g";

  private static final Duration PATIENCE = Duration.ofMinutes(20);
  private static final double MEGABYTE = 1e6;

  /** Of S3. */
  private static final double LEAST_PART_BYTES = 5 << 20;

  private final long megabytes;
  private Path directory;

  /**
   * @param megabytes that each run sends
   */
  UploadExperiment(long megabytes) {
    this.megabytes = megabytes;
  }

  @Override
  public List<Trial> trials() {
    List<Trial> trials = new ArrayList<>();
    for (int streams : List.of(1, 8)) {
      long bytes = (megabytes << 20) / streams * streams;
      for (UploadSubject subject : UploadSubject.values()) {
        trials.add(
            new Trial(
                streams == 1 ? "1-stream" : streams + "-streams",
                subject.title(),
                true,
                false,
                2.0 * streams + (bytes + UploadProcess.warmUpBytes(bytes)) / LEAST_PART_BYTES,
                (server, round) -> upload(subject, streams, bytes, server, round)));
      }
    }
    return trials;
  }

  @Override
  public void start(SlowServer server, Path directory) {
    this.directory = directory;
  }

  private Sample upload(
      UploadSubject subject, int streams, long bytes, SlowServer server, int round)
      throws IOException, InterruptedException {
    MeasuredBucket bucket = server.bucket();
    String prefix = "upload/" + subject.title() + "-" + streams + "-" + round + "/";
    Path local = Files.createDirectories(directory.resolve("buffers-" + subject.title() + streams));
    List<String> arguments = new ArrayList<>();
    arguments.add(subject.name());
    arguments.add(bucket.location(prefix));
    arguments.add(local.toString());
    arguments.add(String.valueOf(streams));
    arguments.add(String.valueOf(bytes / streams));
    arguments.add(String.valueOf(UploadProcess.warmUpBytes(bytes)));
    bucket.access().settings().forEach((name, value) -> arguments.add(name + "=" + value));
    ChildJvm.Command command =
        new ChildJvm.Command(
            UploadProcess.class,
            List.of("-Xmx512m", DIRECT_LIMIT, "-XX:+UseSerialGC", "-XX:+ExitOnOutOfMemoryError"),
            arguments,
            bucket.access().environment());
    try (ChildJvm child = ChildJvm.start(command, directory.resolve("upload.log"))) {
      child.await(0, "ready"::equals, PATIENCE);
      Measured<List<String>> measured =
          server.measure(
              () -> {
                child.send("go");
                return child.await(1, line -> line.startsWith("measured "), PATIENCE);
              });
      long written =
          bucket.contents().objects(prefix + "measured-").values().stream()
              .mapToLong(Long::longValue)
              .sum();
      if (written != bytes) {
        throw new IOException(prefix + " has " + written + " bytes, not " + bytes);
      }
      String[] words = measured.result().get(measured.result().size() - 1).split(" ", -1);
      double seconds = Double.parseDouble(words[1]);
      return new Sample(
          streams,
          bytes,
          Map.of(Sample.TASKS, seconds, Sample.COMMIT, 0.0, Sample.TOTAL, seconds),
          measured.requests().byApiName(),
          Map.of(
              RATE,
              bytes / MEGABYTE / seconds,
              PROCESSOR,
              Double.parseDouble(words[2]) / (bytes / 1e9),
              MEMORY,
              Long.parseLong(words[3]) / MEGABYTE),
          "");
    } finally {
      bucket.contents().clear(prefix);
    }
  }
}
