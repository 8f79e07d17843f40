package io.zerorename.magic.fs;

import io.zerorename.core.s3a.AuditLabels;
import io.zerorename.core.s3a.S3AObjectStores;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.upload.MultipartUploads;
import io.zerorename.core.upload.OutputFile;
import io.zerorename.core.upload.UploadSettings;
import java.io.Closeable;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * The output of one task attempt (in Hive: of one record writer) to one bucket, through the pending
 * file system.
 *
 * <p>In order: open it, {@link PendingFileSystem#register} the record writer's configuration, give
 * the writer {@link #pathOf} its destination, close the writer, take the {@link #files} (or {@link
 * #abort}), and always close the session, in the JVM and as the user that opened it. Closing aborts
 * the uploads of all files that were not taken.
 */
public final class PendingSession implements Closeable {
  /** Bytes of ends of closed files that are kept, if each is as long as it may be. */
  private static final int ENDS = 16 << 20;

  private final Path bucket;
  private final PendingFiles files;
  private final MultipartUploads uploads;
  private final Closeable ownStores;
  private final FileSystem fileSystem;
  private volatile boolean closed;

  /**
   * @param ownStores is closed with the session
   */
  private PendingSession(
      Configuration conf, SessionSpec spec, ObjectStores stores, Closeable ownStores)
      throws IOException {
    this.bucket = spec.bucket();
    this.ownStores = ownStores;
    Path root = rootOf(bucket, spec.name());
    UploadSettings settings = UploadSettings.from(conf, bucket.toUri().getAuthority());
    this.uploads =
        new MultipartUploads(
            stores,
            spec.noteWriter(),
            spec.jobId(),
            spec.taskAttemptId(),
            settings.with(spec.inline()));
    this.files =
        new PendingFiles(
            root,
            path -> spec.naming().apply(moved(path, spec.bucket())),
            uploads,
            Math.max(1, ENDS / Math.max(1, settings.tailSize())));
    this.fileSystem =
        PendingFileSystem.of(files, this::end, statistics(bucket.toUri().getScheme(), conf));
  }

  /**
   * Opens a session that uploads to S3 by S3A's client and settings. Sends no request.
   *
   * @param conf settings of S3A and of the uploads
   * @throws io.zerorename.core.config.InvalidSettingException where a setting is not allowed
   */
  public static PendingSession open(Configuration conf, SessionSpec spec) throws IOException {
    S3AObjectStores stores =
        new S3AObjectStores(conf, AuditLabels.of(conf).ofTaskAttempt(spec.taskAttemptId()));
    return new PendingSession(conf, spec, stores, stores);
  }

  /** The same, through stores that stay the caller's, and must live longer than the session. */
  public static PendingSession open(Configuration conf, SessionSpec spec, ObjectStores stores)
      throws IOException {
    return new PendingSession(conf, spec, stores, () -> {});
  }

  /**
   * The destination's statistics: a job's counters find its output bytes by the scheme of the
   * output path.
   */
  @SuppressWarnings("deprecation")
  private static FileSystem.Statistics statistics(String scheme, Configuration conf)
      throws IOException {
    return FileSystem.getStatistics(scheme, FileSystem.getFileSystemClass(scheme, conf));
  }

  /**
   * The path that a record writer must use for an object at {@code destination}. It has the same
   * key, unless the session's naming gives the object another one.
   *
   * @param destination a fully qualified path in the session's bucket
   */
  public Path pathOf(Path destination) {
    URI uri = destination.toUri();
    if (!Objects.equals(uri.getScheme(), bucket.toUri().getScheme())
        || !Objects.equals(uri.getAuthority(), bucket.toUri().getAuthority())) {
      throw new IllegalArgumentException(
          ("cannot write %s in a session of %s: a session writes to one bucket. Open another"
                  + " session for it")
              .formatted(destination, bucket));
    }
    return moved(destination, files.root);
  }

  /**
   * The path that {@link #pathOf} returns in an open session of this name, in every process,
   * whether or not that session is open.
   */
  public static Path pathOf(Path destination, String sessionName) {
    return moved(destination, rootOf(destination, sessionName));
  }

  private static Path rootOf(Path inBucket, String sessionName) {
    URI uri = inBucket.toUri();
    if (uri.getScheme() == null || uri.getAuthority() == null) {
      throw new IllegalArgumentException(
          ("ZR-2219: cannot write to %s: the destination needs a scheme and a bucket. Qualify the"
                  + " path first, as in s3a://bucket/table")
              .formatted(inBucket));
    }
    // Letters, digits and hyphens after a letter are a host name for every URI parser.
    String authority = "w-" + sessionName.replaceAll("[^A-Za-z0-9]+", "-");
    return new Path(PendingFileSystem.SCHEME, authority, "/");
  }

  /** The same key in another bucket or session. */
  private static Path moved(Path path, Path to) {
    return new Path(to.toUri().getScheme(), to.toUri().getAuthority(), path.toUri().getPath());
  }

  /** Whether the session has files; they may have failed. */
  public boolean hasFiles() {
    return !files.all().isEmpty();
  }

  /**
   * The description of all files for job commit, in the order of their paths. Waits until their
   * last parts are sent. Bytes of small files can be read until the session is closed.
   *
   * @throws FileNotFoundException if the session was closed
   * @throws IOException if a file is still open or could not be written, even if the record writer
   *     swallowed the failure; or if the session was aborted
   */
  public List<OutputFile> files() throws IOException {
    if (closed) {
      throw new FileNotFoundException(
          ("ZR-2221: cannot commit what was written to %s: its session was closed before. The task"
                  + " attempt must fail; its retry writes the files again")
              .formatted(files.root));
    }
    List<OutputFile> outputs = new ArrayList<>();
    for (PendingFile file : files.all()) {
      outputs.add(file.output());
    }
    return outputs;
  }

  /** Whether a part of a closed file is under way, for which {@link #files} would wait. */
  public boolean isSending() {
    return files.all().stream().anyMatch(file -> file.upload.isSending());
  }

  /**
   * To be called if all files are closed and will not be read, but may never be taken. It frees
   * their ends. Until {@link #files} is called, a close of the session's file system, as by an
   * engine that drops the writer, aborts their uploads.
   */
  public void park() throws IOException {
    files.all().forEach(PendingFile::park);
    // Afterwards, because the end of the session ignores files that are not parked yet.
    if (files.isEnded()) {
      end();
    }
  }

  /**
   * Aborts every upload of the session. Streams that are still open publish nothing when they are
   * closed, and fail when written to. Aborting again does nothing.
   *
   * @throws IOException where an upload could not be aborted; the others are
   */
  public void abort() throws IOException {
    PendingFile.discardAll(files.end("its task attempt was aborted"));
  }

  @Override
  public void close() throws IOException {
    if (!closed) {
      closed = true;
      try (ownStores;
          uploads;
          fileSystem) {
        // Directly, because the file system's close only logs failures.
        end();
      }
    }
  }

  /**
   * At the close of the file system, by whomever: open and parked files are stopped, and their
   * uploads aborted. It frees what memory it can, because the session's owner may never close it:
   * after a failed attempt an engine drops the writers and closes all file systems.
   */
  private void end() throws IOException {
    List<PendingFile> all = files.end("its file system was closed");
    all.forEach(PendingFile::abandon);
    all.forEach(file -> file.upload.forgetTail());
    List<PendingFile> stopped = all.stream().filter(file -> !file.upload.isClosed()).toList();
    if (stopped.size() == all.size()) {
      // No file waits for job commit, nor will.
      uploads.close();
    } else {
      PendingFile.discardAll(stopped);
    }
  }
}
