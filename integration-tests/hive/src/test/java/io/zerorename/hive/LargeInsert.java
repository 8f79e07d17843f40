package io.zerorename.hive;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.zerorename.core.commit.CommitProgress;
import io.zerorename.core.commit.CommitRequest;
import io.zerorename.core.commit.JobCommit;
import io.zerorename.core.commit.Overwrite;
import io.zerorename.core.document.TaskManifest;
import io.zerorename.core.job.CommitLogs;
import io.zerorename.core.job.CommitSettings;
import io.zerorename.core.job.JobDirectory;
import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.OutputJob;
import io.zerorename.core.parallel.Workers;
import io.zerorename.core.s3a.S3AObjectStores;
import io.zerorename.core.upload.MultipartUploads;
import io.zerorename.core.upload.PendingUpload;
import io.zerorename.core.upload.UploadSettings;
import io.zerorename.core.upload.UploadStream;
import io.zerorename.testing.Manifests;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;

/**
 * The main class of a process that commits many files of one row each to a table, as a large INSERT
 * does. A query of Hive would take an hour to write so many.
 */
final class LargeInsert {
  private static final String JOB = "large-insert";
  private static final int THREADS = 16;

  private LargeInsert() {}

  /** Takes the table's path, a directory for records, the number of files, and settings. */
  public static void main(String[] arguments) throws IOException {
    Path table = new Path(arguments[0]);
    Configuration conf = new Configuration();
    for (String setting : List.of(arguments).subList(3, arguments.length)) {
      String[] pair = setting.split("=", 2);
      conf.set(pair[0], pair[1]);
    }
    JobDirectory job = JobDirectory.of(new Path(arguments[1], JOB), conf);
    job.create();
    try (S3AObjectStores stores = new S3AObjectStores(conf)) {
      Workers workers = CommitSettings.ofThreads(THREADS).workers();
      List<PendingUpload> files =
          write(stores, job, table, Integer.parseInt(arguments[2]), workers, conf);
      CommitLogs logs = new CommitLogs(stores, conf);
      logs.choose(table, Optional.empty());
      CommitLog log = logs.of(table);
      OutputJob output =
          new OutputJob(
              JOB, "a large INSERT", table, List.of(table), false, Optional.empty(), Map.of());
      new JobCommit(stores, job, log, CommitSettings.ofThreads(THREADS), CommitProgress.NONE)
          .run(
              new CommitRequest(
                  output,
                  Manifests.of(List.of(TaskManifest.of(JOB, "attempt", files))),
                  Overwrite.none(),
                  Optional.of(Instant.now())));
    }
  }

  private static List<PendingUpload> write(
      S3AObjectStores stores,
      JobDirectory job,
      Path table,
      int files,
      Workers workers,
      Configuration conf)
      throws IOException {
    List<PendingUpload> written = Collections.synchronizedList(new ArrayList<>());
    try (MultipartUploads uploads =
        new MultipartUploads(
            stores,
            () -> job.noteWriter("attempt"),
            JOB,
            "attempt",
            UploadSettings.from(conf, table.toUri().getHost()))) {
      workers.forEach(
          IntStream.range(0, files).boxed().toList(),
          number -> {
            try (UploadStream stream = uploads.open(new Path(table, number + "." + JOB))) {
              stream.write((number + "\n").getBytes(UTF_8));
              stream.close();
              written.add(((PendingUpload) stream.file()));
            }
          });
    }
    return written;
  }
}
