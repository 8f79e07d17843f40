package io.zerorename.hive;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.core.commit.JobAbort;
import io.zerorename.core.job.CommitSettings;
import io.zerorename.core.job.JobDirectory;
import io.zerorename.core.log.CommitLog;
import io.zerorename.core.s3a.S3AObjectStores;
import io.zerorename.core.upload.InlineSettings;
import io.zerorename.magic.fs.PendingSession;
import io.zerorename.magic.fs.SessionSpec;
import io.zerorename.testing.s3server.BucketContents;
import io.zerorename.testing.s3server.EmbeddedS3Server;
import java.io.OutputStream;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A process that dies in the middle of its output takes nothing with it that the job's abort needs.
 */
@Tag("thorough")
class KilledWriterTest {
  private static final String JOB = "0b8f4d0e-6f0a-4c5e-8f0e-9a4f6c3d2e1b";

  @TempDir private java.nio.file.Path temporary;

  @Test
  void abortOfTheJobRemovesTheUploadsOfAKilledWriter() throws Exception {
    try (EmbeddedS3Server server = EmbeddedS3Server.start()) {
      BucketContents bucket = server.createBucket("kill");
      java.nio.file.Path output = temporary.resolve("output.txt");
      Process writer = start(server, output);
      assertThat(writer.waitFor(5, TimeUnit.MINUTES)).isTrue();
      assertThat(writer.exitValue()).as(Files.readString(output)).isEqualTo(Writer.EXIT_CODE);
      assertThat(bucket.pendingUploads("")).as("one closed, one in the middle").hasSize(2);

      Configuration conf = new Configuration();
      server.hadoopSettings().forEach(conf::set);
      JobDirectory job = JobDirectory.of(new Path(temporary.resolve(JOB).toUri()), conf);
      job.begin(new Path("s3a://kill/log"), List.of(new Path("s3a://kill/table")));
      S3AObjectStores stores = new S3AObjectStores(conf);
      CommitLog log = CommitLog.inBucket(stores, new Path("s3a://kill/log"));
      JobAbort.Result result =
          new JobAbort(stores, job, log, CommitSettings.ofThreads(4), Optional.empty()).run();

      assertThat(result).isEqualTo(new JobAbort.Result.Aborted(2));
      assertThat(bucket.pendingUploads("")).isEmpty();
      assertThat(bucket.objects("").keySet())
          .isNotEmpty()
          .allMatch(key -> key.startsWith("log" + TableLog.ENTRY));
    }
  }

  private Process start(EmbeddedS3Server server, java.nio.file.Path output) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(java.nio.file.Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-Xmx256m");
    command.add("-cp");
    command.add(System.getProperty("java.class.path"));
    command.add(Writer.class.getName());
    command.add(temporary.resolve(JOB).toUri().toString());
    for (Map.Entry<String, String> setting : server.hadoopSettings().entrySet()) {
      command.add(setting.getKey() + "=" + setting.getValue());
    }
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(output.toFile())
        .start();
  }

  /** The process that dies: with one file written and closed, and one of two parts begun. */
  static final class Writer {
    static final int EXIT_CODE = 77;

    private Writer() {}

    /** Takes the job's directory, then settings. */
    public static void main(String[] arguments) throws Exception {
      Configuration conf = new Configuration();
      for (int i = 1; i < arguments.length; i++) {
        String[] setting = arguments[i].split("=", 2);
        conf.set(setting[0], setting[1]);
      }
      conf.set("fs.s3a.multipart.size", "5M");
      Path table = new Path("s3a://kill/table");
      PendingSession session =
          PendingSession.open(
              conf,
              SessionSpec.ofWriter(
                  table,
                  JobDirectory.of(new Path(arguments[0]), conf),
                  "attempt_0",
                  InlineSettings.none(),
                  new AtomicLong()));
      PendingSession.register(conf);
      Path closed = session.pathOf(new Path(table, "closed." + JOB));
      try (OutputStream out = closed.getFileSystem(conf).create(closed)) {
        out.write(new byte[1000]);
      }
      Path open = session.pathOf(new Path(table, "open." + JOB));
      OutputStream out = open.getFileSystem(conf).create(open);
      // More than a part and what may wait: returns when the first part is on its way.
      byte[] megabyte = new byte[1 << 20];
      for (int i = 0; i < 32; i++) {
        out.write(megabyte);
      }
      out.flush();
      Runtime.getRuntime().halt(EXIT_CODE);
    }
  }
}
