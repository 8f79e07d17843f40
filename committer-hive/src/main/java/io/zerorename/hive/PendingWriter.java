package io.zerorename.hive;

import io.zerorename.core.manifest.ManifestFiles;
import io.zerorename.core.manifest.TaskManifest;
import io.zerorename.core.upload.InlineFile;
import io.zerorename.core.upload.OutputFile;
import io.zerorename.magic.fs.PendingSession;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hive.ql.exec.FileSinkOperator;
import org.apache.hadoop.io.Writable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes one data file as a pending upload. Closing it well publishes a manifest; aborting it, or
 * failing to close, leaves no upload, unless the store does not abort it. Hive closes writers again
 * after an error: that does nothing.
 */
final class PendingWriter implements FileSinkOperator.RecordWriter {
  private static final Logger LOG = LoggerFactory.getLogger(PendingWriter.class);

  private final FileSinkOperator.RecordWriter writer;
  private final PendingSession session;
  private final String jobId;
  private final String taskAttemptId;
  private final HandedOver handedOver;
  private final FileSystem scratch;
  private final Path manifest;
  private boolean closed;
  private long bytes;

  PendingWriter(
      FileSinkOperator.RecordWriter writer,
      PendingSession session,
      String jobId,
      String taskAttemptId,
      HandedOver handedOver,
      FileSystem scratch,
      Path manifest) {
    this.writer = writer;
    this.session = session;
    this.jobId = jobId;
    this.taskAttemptId = taskAttemptId;
    this.handedOver = handedOver;
    this.scratch = scratch;
    this.manifest = manifest;
  }

  @Override
  public void write(Writable row) throws IOException {
    writer.write(row);
  }

  @Override
  public void close(boolean abort) throws IOException {
    if (closed) {
      return;
    }
    closed = true;
    if (abort) {
      abort();
      return;
    }
    try (session) {
      publish();
    }
  }

  /** Size of the file; 0 until it is closed well. */
  long bytes() {
    return bytes;
  }

  /** For messages. */
  @Override
  public String toString() {
    return "The file of " + manifest;
  }

  private void publish() throws IOException {
    try {
      writer.close(false);
      List<OutputFile> files = session.files();
      bytes = files.stream().mapToLong(OutputFile::length).sum();
      TaskManifest published = TaskManifest.of(jobId, taskAttemptId, files);
      ManifestFiles.write(scratch, manifest, published);
      handedOver.add(published.inlined().stream().mapToLong(InlineFile::length).sum());
    } catch (IOException | RuntimeException | Error e) {
      try {
        session.abort();
      } catch (IOException abortFailed) {
        e.addSuppressed(abortFailed);
      }
      throw e;
    }
  }

  /**
   * Does not fail: the attempt has failed already, and at the first writer that throws Hive stops
   * aborting the others (FileSinkOperator.FSPaths.abortWritersAndUpdaters).
   */
  private void abort() {
    try (session) {
      try {
        session.abort();
      } finally {
        closeAborted();
      }
    } catch (IOException | RuntimeException e) {
      LOG.warn(
          "The upload of {} was given up and could not be aborted; the end of the query aborts it",
          manifest,
          e);
    }
  }

  private void closeAborted() {
    try {
      writer.close(true);
    } catch (IOException | RuntimeException e) {
      // Formats write a footer even then, which an aborted stream refuses. The upload is gone.
      LOG.debug("Closing an aborted writer of {}", manifest, e);
    }
  }
}
