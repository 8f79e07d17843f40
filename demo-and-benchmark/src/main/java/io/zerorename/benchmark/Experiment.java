package io.zerorename.benchmark;

import io.zerorename.report.Progress;
import io.zerorename.report.SlowServer;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** A suite that can be run. */
interface Experiment extends Closeable {
  /** What will be measured; may be asked before {@link #start}. */
  List<Case> cases();

  /**
   * Starts what the trials need, and warms it up.
   *
   * @param server on which nothing else happens
   * @param directory a local one, which the caller deletes
   */
  void start(SlowServer server, Path directory, Progress progress)
      throws IOException, InterruptedException;

  @Override
  default void close() throws IOException {}
}
