package io.zerorename.benchmark;

import io.zerorename.report.Endpoint;
import io.zerorename.testing.s3server.MeasuredBucket;
import io.zerorename.testing.s3server.RequestCounts;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;

/** Where experiments get S3 from: each a server of its own, or a directory on a person's S3. */
final class Servers {
  private static final String BUCKET = "benchmark";

  private final BenchmarkOptions options;
  private final Consumer<String> console;
  private final Map<String, Long> requests = new TreeMap<>();

  /**
   * @param console prints what is left if the JVM ends too early
   */
  Servers(BenchmarkOptions options, Consumer<String> console) {
    this.options = options;
    this.console = console;
  }

  /**
   * Starts one, to be closed by the caller.
   *
   * @param directory for the data of a server on this machine
   * @param suite that it is for
   */
  SlowServer start(Path directory, BenchmarkOptions.Suite suite) throws IOException {
    Optional<Endpoint> endpoint = options.endpoint();
    return new SlowServer(
        options,
        endpoint.isEmpty()
            ? MeasuredBucket.ownServer(directory.resolve("s3"), BUCKET)
            : MeasuredBucket.at(
                endpoint.get().url(),
                endpoint.get().region(),
                endpoint.get().bucket(),
                endpoint.get().newDirectory("benchmark-" + suite.key()),
                console),
        this::add);
  }

  private void add(RequestCounts counts) {
    counts.byApiName().forEach((type, count) -> requests.merge(type, count, Long::sum));
  }

  /** Of those that are closed, by the name of their type in S3's API. */
  Map<String, Long> requests() {
    return requests;
  }
}
