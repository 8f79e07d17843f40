package io.zerorename.benchmark;

import io.zerorename.benchmark.BenchmarkOptions.Suite;
import io.zerorename.report.Progress;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** A suite that can be run. */
interface Experiment extends Closeable {
  Suite suite();

  /** What will be measured; may be asked before {@link #start}. */
  List<Case> cases();

  /**
   * Starts what the trials need, and warms it up.
   *
   * @param directory a local one, which the caller deletes
   */
  void start(Path directory, Progress progress) throws IOException, InterruptedException;

  @Override
  void close() throws IOException;
}
