package io.zerorename.core.scale;

import static io.zerorename.core.scale.MillionFilesTest.FILES_PER_MANIFEST;
import static io.zerorename.core.scale.MillionFilesTest.MANIFESTS;

import io.zerorename.core.commit.CommitProgress;
import io.zerorename.core.commit.CommitReport;
import io.zerorename.core.commit.JobCommit;
import io.zerorename.core.commit.Overwrite;
import io.zerorename.core.document.TaskManifest;
import io.zerorename.core.job.CommitSettings;
import io.zerorename.core.job.JobDirectory;
import io.zerorename.core.job.ManifestSource;
import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.OutputJob;
import io.zerorename.core.store.UploadedPart;
import io.zerorename.core.upload.PendingUpload;
import io.zerorename.testing.Requests;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.IntStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/** The process with the small heap. Each manifest holds one file of each of 1,000 partitions. */
final class MillionFiles {
  private static final Path TABLE = new Path("s3a://bucket/warehouse/t");
  private static final String JOB = "job-1";

  private MillionFiles() {}

  /** Takes a directory for the log. */
  public static void main(String[] arguments) throws IOException {
    PrintStream out = System.out;
    // Logs go there.
    System.setOut(System.err);
    FileSystem local = FileSystem.getLocal(new Configuration());
    Path work = new Path(new File(arguments[0]).toURI());
    CommitLog log = LogOnDisk.in(local, new Path(work, "log"));
    JobDirectory job = new JobDirectory(local, new Path(work, JOB), (workers, action) -> {});
    MadeUpStore store = new MadeUpStore();
    CommitReport report =
        new JobCommit(
                store,
                job,
                log,
                CommitSettings.from(new Configuration(false)),
                CommitProgress.NONE,
                Requests.of(
                    new OutputJob(JOB, "INSERT OVERWRITE db.t", List.of(TABLE)),
                    manifests(),
                    Overwrite.directoriesOfFiles(),
                    Optional.of(Instant.now())))
            .run();
    report.open().orElseThrow().end();
    out.printf(
        "reported %d files, %d replaced, %d uploads aborted%n",
        report.made().files(), report.made().replaced(), report.aborted());
    out.printf("completed %d, none of them twice%n", store.completed());
    out.printf("asked for the parts of %d%n", store.partsListed());
    out.printf("deleted %d in batches of %d%n", store.deleted(), store.largestBatch());
    out.printf("open commits: %d%n", log.tail().open().size());
    out.println("done");
  }

  static Path path(int number) {
    return new Path(
        TABLE,
        "day=%03d/%06d_0.%d"
            .formatted(number % FILES_PER_MANIFEST, number / FILES_PER_MANIFEST, number));
  }

  private static ManifestSource manifests() {
    return (workers, action) ->
        workers.forEach(
            IntStream.range(0, MANIFESTS).boxed().toList(), task -> action.accept(manifest(task)));
  }

  /** Everything in it is as large as what S3 and S3A make. */
  private static TaskManifest manifest(int task) {
    String attempt = "attempt_1700000000000_0001_m_%06d_0".formatted(task);
    List<PendingUpload> uploads = new ArrayList<>();
    for (int partition = 0; partition < FILES_PER_MANIFEST; partition++) {
      int number = task * FILES_PER_MANIFEST + partition;
      uploads.add(
          new PendingUpload(
              path(number),
              MadeUpStore.uploadId(number),
              List.of(new UploadedPart(1, "\"%032x\"".formatted(number), 100_000)),
              JOB,
              attempt,
              new UUID(7, number).toString()));
    }
    return TaskManifest.of(JOB, attempt, uploads);
  }
}
