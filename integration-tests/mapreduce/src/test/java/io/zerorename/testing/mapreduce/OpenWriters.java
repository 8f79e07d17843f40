package io.zerorename.testing.mapreduce;

import io.zerorename.core.job.JobDirectory;
import io.zerorename.core.s3a.S3AObjectStores;
import io.zerorename.core.upload.InlineSettings;
import io.zerorename.core.upload.OutputFile;
import io.zerorename.core.upload.PendingUpload;
import io.zerorename.magic.fs.PendingFileSystem;
import io.zerorename.magic.fs.PendingSession;
import io.zerorename.magic.fs.SessionSpec;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;

/**
 * A task with many open partition writers, in a process of its own. As in Hive each writer has a
 * session of its own, and all are kept until the last one is closed.
 */
final class OpenWriters {
  static final int WRITERS = 500;
  private static final int CHUNK = 512 << 10;
  private static final int ROUNDS = 5;
  private static final byte[] NOISE = new byte[CHUNK];

  static {
    new Random(1).nextBytes(NOISE);
  }

  private OpenWriters() {}

  static Path file(Path table, int number) {
    return new Path(table, "day=" + number + "/000000_0.job");
  }

  /** Another for each writer and each round; all are of different lengths. */
  static byte[] content(int number) {
    byte[] content = new byte[CHUNK * ROUNDS + number];
    for (int round = 0; round < ROUNDS; round++) {
      System.arraycopy(chunk(number, round), 0, content, round * CHUNK, CHUNK);
    }
    return content;
  }

  private static byte[] chunk(int number, int round) {
    byte[] chunk = NOISE.clone();
    ByteBuffer.wrap(chunk).putInt(number).putInt(round);
    return chunk;
  }

  /** Takes the table, the job's directory, and settings of Hadoop as {@code key=value}. */
  public static void main(String[] arguments) throws IOException {
    Path table = new Path(arguments[0]);
    Configuration conf = new Configuration();
    for (String setting : List.of(arguments).subList(2, arguments.length)) {
      String[] pair = setting.split("=", 2);
      conf.set(pair[0], pair[1]);
    }
    JobDirectory job = JobDirectory.of(new Path(arguments[1]), conf);
    PendingFileSystem.register(conf);
    List<PendingSession> sessions = new ArrayList<>();
    List<OutputStream> writers = new ArrayList<>();
    for (int number = 0; number < WRITERS; number++) {
      PendingSession session =
          PendingSession.open(
              conf,
              new SessionSpec(
                  table,
                  job.jobId(),
                  job::noteWriter,
                  "attempt_0",
                  "attempt_0-" + number,
                  new InlineSettings(512L << 10, 32L << 20, new AtomicLong()),
                  it -> it));
      Path path = session.pathOf(file(table, number));
      sessions.add(session);
      writers.add(path.getFileSystem(conf).create(path));
    }
    for (int round = 0; round < ROUNDS; round++) {
      for (int number = 0; number < WRITERS; number++) {
        // Out of an array that is larger, and that nobody may keep.
        byte[] buffer = Arrays.copyOf(chunk(number, round), 4 * CHUNK);
        writers.get(number).write(buffer, 0, CHUNK);
      }
    }
    try (S3AObjectStores stores = new S3AObjectStores(conf)) {
      for (int number = 0; number < WRITERS; number++) {
        writers.get(number).write(new byte[number]);
        writers.get(number).close();
        for (OutputFile file : sessions.get(number).files()) {
          PendingUpload upload = (PendingUpload) file;
          stores
              .forPath(upload.destination())
              .completeUpload(upload.key(), upload.uploadId(), upload.parts());
        }
        sessions.get(number).close();
      }
    }
    Runtime.getRuntime().halt(0);
  }
}
