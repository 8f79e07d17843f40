package io.zerorename.benchmark;

import io.zerorename.report.SlowServer;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** A suite that can be run. */
interface Experiment extends Closeable {
  /** What can be measured, case by case; may be asked before {@link #start}. */
  List<Trial> trials();

  /**
   * Starts what the trials need, and warms it up.
   *
   * @param server on which nothing else happens, without a delay
   * @param directory a local one, which the caller deletes
   */
  void start(SlowServer server, Path directory) throws IOException, InterruptedException;

  @Override
  default void close() throws IOException {}
}
