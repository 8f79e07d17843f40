package io.zerorename.versions;

import static io.zerorename.testing.s3server.FaultRule.always;
import static io.zerorename.testing.s3server.FaultRule.typeUnder;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.commit.CommitProgress;
import io.zerorename.core.commit.CommitRequest;
import io.zerorename.core.commit.CommitStateUnknownException;
import io.zerorename.core.commit.JobCommit;
import io.zerorename.core.commit.Overwrite;
import io.zerorename.core.commit.SeenLog;
import io.zerorename.core.document.TaskManifest;
import io.zerorename.core.job.CommitLogs;
import io.zerorename.core.job.CommitSettings;
import io.zerorename.core.job.JobDirectory;
import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.OutputJob;
import io.zerorename.core.s3a.S3AObjectStores;
import io.zerorename.core.upload.MultipartUploads;
import io.zerorename.core.upload.PendingUpload;
import io.zerorename.core.upload.UploadSettings;
import io.zerorename.core.upload.UploadStream;
import io.zerorename.testing.s3server.EmbeddedS3Server;
import io.zerorename.testing.s3server.Fault;
import io.zerorename.testing.s3server.FaultRule;
import io.zerorename.testing.s3server.RequestType;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The command {@code zerorename recover}, as an operator types it. */
class RecoverCommandTest {
  private static final String JOB = "0b5f3c1e-job";

  @TempDir private File directory;
  private TestCluster cluster;
  private Configuration conf;
  private Path table;

  @BeforeEach
  void start() throws IOException {
    cluster = TestCluster.in(directory);
    conf = cluster.conf();
    table = cluster.s3("db/t");
  }

  @AfterEach
  void stop() throws IOException {
    cluster.server().gateway().faults(FaultRule.NONE);
    cluster.close();
  }

  @Test
  void theScriptRunsItWithTheClustersHadoop() throws Exception {
    breakCommit();
    File bin = new File(directory, "bin");
    assertThat(bin.mkdir()).isTrue();
    // What Hadoop's own command does: a JVM with Hadoop's class path and the variable's.
    java.nio.file.Path hadoop =
        Files.writeString(
            bin.toPath().resolve("hadoop"),
            "#!/bin/sh\nexec \""
                + System.getProperty("java.home")
                + "/bin/java\" -Xmx256m -XX:TieredStopAtLevel=1 -cp"
                + " \"$HADOOP_CLASSPATH:$TEST_CLASSPATH\" \"$@\"\n");
    Files.setPosixFilePermissions(hadoop, PosixFilePermissions.fromString("rwx------"));
    List<String> command = new ArrayList<>();
    command.add(script().toString());
    command.add("recover");
    for (Map.Entry<String, String> setting : cluster.server().hadoopSettings().entrySet()) {
      command.add("-D");
      command.add(setting.getKey() + "=" + setting.getValue());
    }
    command.add(table.toString());
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.redirectOutput(new File(directory, "output.txt"));
    builder.environment().put("PATH", bin + File.pathSeparator + System.getenv("PATH"));
    builder.environment().put("TEST_CLASSPATH", System.getProperty("java.class.path"));
    builder.environment().putAll(EmbeddedS3Server.environment());
    Process process = builder.start();

    assertThat(process.waitFor(5, TimeUnit.MINUTES)).isTrue();

    String printed = Files.readString(directory.toPath().resolve("output.txt"));
    // The process that broke it off is this one, which is alive: that does not matter.
    assertThat(process.exitValue()).as(printed).isEqualTo(1);
    assertThat(printed)
        .contains("All files (2) of INSERT INTO db.t (entry 1) are in place")
        .contains("The next INSERT into that table registers its partitions");
    assertThat(cluster.bucket().files("db/t/"))
        .containsExactly("db/t/a." + JOB, "db/t/p=1/b." + JOB);
    assertThat(cluster.bucket().pendingUploads("")).isEmpty();
  }

  private static java.nio.file.Path script() {
    java.nio.file.Path path = java.nio.file.Path.of("").toAbsolutePath();
    while (!Files.exists(path.resolve("bin/zerorename"))) {
      path = path.getParent();
    }
    return path.resolve("bin/zerorename");
  }

  /** Of two files one becomes visible. */
  private void breakCommit() throws IOException {
    try (S3AObjectStores stores = new S3AObjectStores(conf)) {
      Path work = new Path(new File(directory, "work").toURI());
      JobDirectory job = JobDirectory.of(new Path(work, JOB), conf);
      List<PendingUpload> written = new ArrayList<>();
      try (MultipartUploads uploads =
          new MultipartUploads(
              stores,
              job::noteWriter,
              JOB,
              "attempt",
              UploadSettings.from(conf, cluster.bucket().bucket()))) {
        for (String name : List.of("a", "p=1/b")) {
          try (UploadStream stream = uploads.open(new Path(table, name + "." + JOB))) {
            stream.write(name.getBytes(UTF_8));
            stream.close();
            written.add(((PendingUpload) stream.file()));
          }
        }
      }
      cluster
          .server()
          .gateway()
          .faults(
              always(
                  typeUnder(RequestType.COMPLETE_MULTIPART_UPLOAD, "db/t/p=1/"),
                  Fault.accessDenied()));
      CommitLogs logs = new CommitLogs(stores, conf);
      logs.check(table, Optional.empty());
      CommitLog log = logs.of(table);
      OutputJob output =
          new OutputJob(
              JOB, "INSERT INTO db.t", table, List.of(table), false, Map.of("hive.table", "db.t"));
      assertThatThrownBy(
              () ->
                  new JobCommit(
                          stores,
                          job,
                          log,
                          CommitSettings.from(new Configuration(false)),
                          CommitProgress.NONE,
                          new CommitRequest(
                              output,
                              (workers, action) ->
                                  workers.forEach(
                                      List.of(TaskManifest.of(JOB, "attempt", written)), action),
                              Overwrite.none(),
                              Optional.of(Instant.now()),
                              () -> {},
                              () -> {},
                              CommitRequest.Committer.SOLE,
                              SeenLog.ALL))
                      .run())
          .isInstanceOf(CommitStateUnknownException.class);
    }
    cluster.server().gateway().faults(FaultRule.NONE);
  }
}
