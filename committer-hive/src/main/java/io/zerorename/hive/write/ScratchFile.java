package io.zerorename.hive.write;

import io.zerorename.core.job.JobDirectory;
import io.zerorename.core.manifest.ManifestFiles;
import io.zerorename.core.manifest.TaskManifest;
import io.zerorename.core.recordstore.FileRecords;
import io.zerorename.core.store.Failures;
import io.zerorename.magic.fs.PendingSession;
import io.zerorename.magic.fs.SessionSpec;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * A file on the scratch file system that belongs to the output of an INSERT.
 *
 * @param destination its final path
 * @param manifest where the commit looks for the manifest of its upload
 */
record ScratchFile(Path source, Path destination, Path manifest) {
  private static final int BUFFER = 128 << 10;

  /**
   * Uploads it, as a task that writes it would, unless another attempt has. Of attempts at once the
   * first to put its manifest there wins. Leaves no upload where that fails or another wins, unless
   * the store does not abort it.
   *
   * @param conf to which {@link PendingSession#register} was applied
   * @param between reads; stops the upload where it fails
   */
  void upload(UploadAttempt attempt, Configuration conf, Failures.Step between) throws IOException {
    FileSystem scratch = source.getFileSystem(conf);
    if (scratch.exists(manifest)) {
      return;
    }
    PendingSession session =
        PendingSession.open(
            conf,
            SessionSpec.ofWriter(
                destination,
                JobDirectory.of(new Path(attempt.workDir(), attempt.jobId()), conf),
                attempt.id(),
                attempt.attempts(),
                attempt.inlined()::addAndGet));
    try (session) {
      try {
        copy(scratch, session.pathOf(destination), conf, between);
        byte[] document =
            ManifestFiles.document(TaskManifest.of(attempt.jobId(), attempt.id(), session.files()));
        // Its draft is beside the source, where nothing reads it.
        FileRecords drafts = new FileRecords(scratch, source.getParent());
        if (!drafts.putIfAbsent(manifest.toString(), document)) {
          session.abort();
        }
      } catch (IOException | RuntimeException | Error e) {
        session.abort();
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
