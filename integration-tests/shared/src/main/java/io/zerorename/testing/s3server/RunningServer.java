package io.zerorename.testing.s3server;

import java.io.Closeable;
import java.net.URI;

/** An S3 server that was started for tests, and ends with {@link #close}. */
interface RunningServer extends Closeable {
  URI endpoint();

  boolean isAlive();

  long pid();

  @Override
  void close();
}
