package io.zerorename.hive.write;

import io.zerorename.core.document.ManifestFiles;
import io.zerorename.core.document.TaskManifest;
import io.zerorename.core.job.JobRecords;
import io.zerorename.core.store.Failures;
import io.zerorename.magic.fs.PendingSession;
import io.zerorename.magic.fs.SessionSpec;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * A file that Hive has merged on the scratch file system.
 *
 * @param destination its final path
 * @param manifest where the commit looks for the manifest of its upload
 */
record MergedFile(Path source, Path destination, Path manifest) {
  private static final String ATTEMPT = "merged";
  private static final int BUFFER = 128 << 10;

  /**
   * Uploads it, as a task that writes it would. Where that fails, the upload is aborted: its
   * statement is not committed.
   *
   * @param job of the INSERT
   * @param conf to which {@link PendingSession#register} was applied
   * @param between reads; stops the upload where it fails
   */
  void upload(JobRecords job, Configuration conf, Failures.Step between) throws IOException {
    FileSystem scratch = source.getFileSystem(conf);
    try (PendingSession session =
        PendingSession.open(
            conf,
            SessionSpec.uploading(
                destination, job, ATTEMPT, ATTEMPT + "-" + UUID.randomUUID(), path -> path))) {
      try {
        copy(scratch, session.pathOf(destination), conf, between);
        ManifestFiles.write(
            scratch, manifest, TaskManifest.of(job.jobId(), ATTEMPT, session.files()));
      } catch (IOException | RuntimeException | Error e) {
        try {
          session.abort();
        } catch (IOException suppressed) {
          e.addSuppressed(suppressed);
        }
        throw e;
      }
    }
  }

  private void copy(FileSystem scratch, Path pending, Configuration conf, Failures.Step between)
      throws IOException {
    byte[] buffer = new byte[BUFFER];
    try (InputStream in = scratch.open(source);
        OutputStream out = pending.getFileSystem(conf).create(pending, false)) {
      for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
        out.write(buffer, 0, n);
        between.run();
      }
    }
  }
}
