package io.zerorename.hive.write;

import io.zerorename.core.config.CoreKeys;
import io.zerorename.core.upload.OutputFile;
import io.zerorename.magic.fs.PendingSession;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hive.ql.exec.FileSinkOperator;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.util.Progressable;
import org.apache.hadoop.util.functional.ConsumerRaisingIOE;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes one data file as a pending upload. A close without error publishes a manifest; an abort,
 * or a close that fails, leaves no upload, unless the store does not abort it. Hive closes writers
 * again after an error: that does nothing.
 *
 * <p>The format's own writer may have been {@link #closeAhead closed ahead}, with another one of
 * the sink. A failure of that is thrown when Hive closes this one.
 */
final class PendingWriter implements FileSinkOperator.RecordWriter {
  private static final Logger LOG = LoggerFactory.getLogger(PendingWriter.class);

  private final FileSinkOperator.RecordWriter writer;
  private final PendingSession session;
  private final SinkWriters sink;
  private final Path manifest;
  private final ConsumerRaisingIOE<List<OutputFile>> publication;

  /** Keeps the engine from taking the task for dead; null where it gives none. */
  private final Progressable progress;

  private boolean closedAhead;
  private IOException failureAhead;
  private boolean closed;
  private long bytes;

  /**
   * @param manifest where it will be
   * @param publication writes it
   */
  PendingWriter(
      FileSinkOperator.RecordWriter writer,
      PendingSession session,
      SinkWriters sink,
      Path manifest,
      ConsumerRaisingIOE<List<OutputFile>> publication,
      Progressable progress) {
    this.writer = writer;
    this.session = session;
    this.sink = sink;
    this.manifest = manifest;
    this.publication = publication;
    this.progress = progress;
  }

  @Override
  public void write(Writable row) throws IOException {
    if (closedAhead) {
      throw new IOException(
          ("ZR-2306: Hive writes to %s after it has closed another file of the same sink, and"
                  + " all of them were closed with that. Run the statement with %s=1, with which"
                  + " each file is closed in its turn, and report this plan.")
              .formatted(manifest, CoreKeys.UPLOAD_THREADS.name()));
    }
    writer.write(row);
  }

  @Override
  public void close(boolean abort) throws IOException {
    if (closed) {
      return;
    }
    closed = true;
    sink.closes(this);
    if (abort) {
      abort();
      return;
    }
    try (session) {
      publish();
    } catch (IOException | RuntimeException | Error e) {
      sink.abortClosedAhead(e);
      throw e;
    }
  }

  /**
   * Closes the format's writer before Hive does, with another one of the sink, so that their last
   * parts are sent together.
   */
  void closeAhead() {
    closedAhead = true;
    try {
      writer.close(false);
      session.park();
    } catch (IOException | RuntimeException e) {
      // Of this file, and not of the one that Hive closes now, but Hive may forget it.
      failAhead("could not be closed", e);
    } catch (Error e) {
      failAhead("could not be closed", e);
      throw e;
    }
    if (progress != null) {
      progress.progress();
    }
  }

  /** Aborts the upload before Hive closes this writer, because another file of the sink failed. */
  void abortAhead(Throwable because) {
    failAhead("was aborted with another file of its task attempt", because);
  }

  /** The reason is thrown when Hive closes this writer. */
  private void failAhead(String what, Throwable because) {
    if (failureAhead == null) {
      failureAhead =
          new IOException(
              "ZR-2307: %s %s (%s). The task attempt must fail; its retry writes the file again"
                  .formatted(this, what, because),
              because);
    }
    abort(session, because);
  }

  static void abort(PendingSession session, Throwable because) {
    try {
      session.abort();
    } catch (IOException | RuntimeException | Error abortFailed) {
      because.addSuppressed(abortFailed);
    }
  }

  /** Whether the last part of its file is under way. */
  boolean isSending() {
    return session.isSending();
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
      closeFormat();
      List<OutputFile> files = session.files();
      bytes = files.stream().mapToLong(OutputFile::length).sum();
      publication.accept(files);
    } catch (IOException | RuntimeException | Error e) {
      abort(session, e);
      throw e;
    }
  }

  private void closeFormat() throws IOException {
    if (failureAhead != null) {
      throw failureAhead;
    }
    if (!closedAhead) {
      writer.close(false);
    }
    sink.closeAheadWith(this);
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
          "ZR-2308: The upload of {} could not be aborted; the end of the query aborts it",
          manifest,
          e);
    }
  }

  private void closeAborted() {
    if (closedAhead) {
      return;
    }
    try {
      writer.close(true);
    } catch (IOException | RuntimeException e) {
      // Formats write a footer even then, which an aborted stream refuses. The upload is gone.
      LOG.debug("Closing an aborted writer of {}", manifest, e);
    }
  }
}
