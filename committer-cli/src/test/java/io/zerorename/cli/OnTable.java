package io.zerorename.cli;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A command is tried on a table on a real S3 server. */
abstract class OnTable {
  @TempDir Path directory;
  S3Bucket bucket;
  String table;

  @BeforeEach
  void start() throws IOException {
    bucket = S3Bucket.in(directory);
    table = bucket.path("db/t").toString();
  }

  @AfterEach
  void stop() throws IOException {
    bucket.close();
  }
}
