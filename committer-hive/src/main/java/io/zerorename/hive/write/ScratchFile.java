package io.zerorename.hive.write;

import io.zerorename.core.job.JobDirectory;
import io.zerorename.core.manifest.ManifestFiles;
import io.zerorename.core.manifest.TaskManifest;
import io.zerorename.core.recordstore.FileRecords;
import io.zerorename.core.recordstore.NotWrittenException;
import io.zerorename.core.store.Failures;
import io.zerorename.core.upload.OutputFile;
import io.zerorename.magic.fs.PendingSession;
import io.zerorename.magic.fs.SessionSpec;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.List;
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
                attempt.inlined()));
    try (session) {
      publish(attempt, scratch, session, copied(scratch, session, conf, between));
    }
  }

  /** The files of the session, in which the file is then, or nothing. */
  private List<OutputFile> copied(
      FileSystem scratch, PendingSession session, Configuration conf, Failures.Step between)
      throws IOException {
    try {
      copy(scratch, session.pathOf(destination), conf, between);
      return session.files();
    } catch (IOException | RuntimeException | Error e) {
      abort(session, e);
      throw e;
    }
  }

  /**
   * Puts the manifest in place unless another attempt's is there. Aborts only what surely no
   * manifest names: the file system may have renamed it though its answer was lost. Then the end of
   * the query aborts the upload, if it is not committed.
   */
  private void publish(
      UploadAttempt attempt, FileSystem scratch, PendingSession session, List<OutputFile> files)
      throws IOException {
    byte[] document = ManifestFiles.document(TaskManifest.of(attempt.jobId(), attempt.id(), files));
    // Its draft is beside the source, where nothing reads it.
    FileRecords records = new FileRecords(scratch, source.getParent());
    String name = manifest.toString();
    try {
      if (!records.putIfAbsent(name, document)
          && records.get(name).filter(it -> Arrays.equals(it, document)).isEmpty()) {
        session.abort();
      }
    } catch (NotWrittenException e) {
      abort(session, e);
      throw e;
    }
  }

  private static void abort(PendingSession session, Throwable because) {
    try {
      session.abort();
    } catch (IOException e) {
      because.addSuppressed(e);
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
